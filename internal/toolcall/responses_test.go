package toolcall

import (
	"strings"
	"testing"
)

// check decodes the test's message and compares the calls and what was executed.
func (tt callTest) decode(t *testing.T, format Format) {
	t.Helper()
	r, err := DecodeMessage(format, []byte(tt.body))
	tt.check(t, r.Calls, err)
}

func one(want string) []string { return []string{want} }

func TestResponsesCalls(t *testing.T) {
	item := func(more string) string {
		return `{"type":"function_call","id":"fc","call_id":"c","name":"t"` + more + `}`
	}
	custom := func(more string) string {
		return `{"type":"custom_tool_call","call_id":"c","name":"t"` + more + `}`
	}
	const good = `{"type":"function_call","call_id":"g","name":"g","arguments":"{}"}`
	response := func(more, items string) string { return `{"object":"response"` + more + `,"output":[` + items + `]}` }
	for _, tt := range []callTest{
		{"item", item(`,"arguments":"{\"a\":1.0}","status":"completed"`), one(`c t {"a":1.0}`)},
		{"object", item(`,"arguments":{"a":1}`), one(`c t {"a":1}`)},
		{"empty", item(`,"arguments":""`), one(`c t {} arguments:empty`)},
		{"blank", item(`,"arguments":" \n"`), one(`c t {} arguments:empty`)},
		{"absent", item(``), one(`c t {} arguments:empty`)},
		{"null", item(`,"arguments":null`), one(`c t {} arguments:empty`)},
		{"list", item(`,"arguments":[]`), one(`c t []`)},
		{"surrogate", item(`,"arguments":"\ud800"`), one(`c t !invalid_json`)},
		{"namespace", item(`,"namespace":"s","arguments":"{}"`), one(`c s/t {}`)},
		{"namespace null", item(`,"namespace":null,"arguments":"{}"`), one(`c t {}`)},
		{"namespace number", item(`,"namespace":1,"arguments":"{}"`), one(`malformed t`)},
		{"namespace twice", item(`,"namespace":"s","namespace":"s","arguments":"{}"`), one(`malformed t`)},
		{"incomplete", item(`,"arguments":"{}","status":"incomplete"`), one(`c t !truncated`)},
		{"in progress", item(`,"arguments":"{}","status":"in_progress"`), one(`c t !truncated`)},
		{"incomplete in another spelling", item(`,"arguments":"{}","status":"Incomplete"`), one(`c t !truncated`)},
		{"id only", `{"type":"function_call","id":"fc","name":"t","arguments":"{}"}`, one(` t {}`)},
		{"numeric id", `{"type":"function_call","call_id":7.0,"name":"t","arguments":"{}"}`, one(`#7.0 t {}`)},
		{"id list", `{"type":"function_call","call_id":[],"name":"t","arguments":"{}"}`, one(`malformed t`)},
		{"callId beside", item(`,"callId":"d","arguments":"{}"`), one(`malformed t`)},
		{"name twice", item(`,"name":"u","arguments":"{}"`), one(`malformed t`)},
		{"Name", item(`,"Name":"u","arguments":"{}"`), one(`malformed t`)},
		{"no name", `{"type":"function_call","call_id":"c","arguments":"{}"}`, one(`malformed `)},
		{"Arguments", item(`,"arguments":"{}","Arguments":"{\"a\":1}"`), one(`malformed t`)},
		{"other arguments", item(`,"arguments":"{}","input":"{\"a\":1}"`), one(`malformed t`)},
		{"a function inside", item(`,"arguments":"{}","function":{"name":"u"}`), one(`malformed t`)},
		{"type twice", `{"type":"function_call","type":"message","call_id":"c","name":"t","arguments":"{}"}`, one(`malformed function_call`)},
		{"Type beside a plain one", `{"type":"message","Type":"function_call","name":"t","arguments":"{}"}`, one(`malformed message`)},
		{"too many keys", `{"type":"function_call",` + strings.Repeat(`"":0,`, maxMembers-10) + `"name":"t","arguments":"{}"}`, one(` t {}`)},
		{"custom", custom(`,"input":"null"`), one(`c t null text`)},
		{"custom empty", custom(`,"input":""`), one(`c t  text`)},
		{"custom absent", custom(``), one(`c t !not_an_object`)},
		{"custom object", custom(`,"input":{}`), one(`c t !not_an_object`)},
		{"custom namespace", custom(`,"namespace":"s","input":"x"`), one(`c s/t x text`)},
		{"custom with arguments", custom(`,"input":"x","arguments":"{}"`), one(`malformed t`)},
		{"approval", `{"type":"mcp_approval_request","id":"a","server_label":"s","name":"t","arguments":"{\"q\":1}"}`, one(`a s/t {"q":1}`)},
		{"approval without server", `{"type":"mcp_approval_request","id":"a","name":"t","arguments":"{}"}`, one(`malformed t`)},
		{"approval with two servers", `{"type":"mcp_approval_request","id":"a","server_label":"s","namespace":"n","name":"t","arguments":"{}"}`, one(`malformed t`)},
		{"the client's own tool", `{"type":"local_shell_call","call_id":"c","action":{"type":"exec","command":["ls"]}}`, one(`malformed local_shell_call`)},

		{"list", `[` + item(`,"arguments":"{}"`) + `,` + good + `]`, []string{"c t {}", "g g {}"}},
		{"list with what is none", `[` + good + `,7,null,{},{"type":"tool_use","name":"t","input":{}},{"type":"Function_Call","name":"t"}]`,
			[]string{"g g {}", "malformed ", "malformed ", "malformed ", "malformed tool_use", "malformed Function_Call"}},
		{"list with messages", `[{"role":"assistant","content":"x"},{"type":"reasoning","summary":[]},` + good + `]`, one("g g {}")},
		{"a user's message in the list", `[{"role":"user","content":"x"},` + good + `]`, []string{"malformed ", "g g {}"}},
		{"list with a hidden call", `[{"type":"message","role":"assistant","content":[{"type":"tool_use"}]},` + good + `]`, []string{"malformed ", "g g {}"}},
		{"response", response(`,"status":"completed","incomplete_details":null`, `{"type":"reasoning"},`+good+`,`+item(`,"arguments":"{}"`)), []string{"g g {}", "c t {}"}},
		{"response incomplete", response(`,"status":"incomplete"`, good+`,{}`), []string{"g g !truncated", "malformed "}},
		{"response with details", response(`,"incomplete_details":{"reason":"max_output_tokens"}`, good), one("g g !truncated")},
		{"response failed", response(`,"status":"failed"`, good), one("g g !truncated")},
		{"two outputs", response(`,"output":[]`, good), one("malformed g")},
		{"Output", response(`,"Output":[]`, good), one("malformed g")},
		{"output and choices", response(`,"choices":[{}]`, good), one("malformed g")},
		{"item and output", item(`,"arguments":"{}","output":[` + good + `]`), one("malformed t")},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.decode(t, OpenAIResponses) })
	}
}

func TestResponsesExecuted(t *testing.T) {
	const good = `{"type":"function_call","call_id":"g","name":"g","arguments":"{}"}`
	const items = `{"type":"mcp_call","server_label":"wiki","name":"search","arguments":"{}"},{"type":"web_search_call"},` +
		`{"type":"web_search_call"},{"type":"tool_search_call","execution":"server"},{"type":"shell_call","environment":{"type":"container_reference"}},` +
		`{"type":"mcp_list_tools","server_label":"a\u202eb"},{"type":"program"},{"type":"program_output"}`
	want := []string{"mcp_call:wiki/search", "web_search_call", "tool_search_call", "shell_call", `mcp_list_tools:a\u202eb`, "program"}
	wantExecuted(t, OpenAIResponses, `{"output":[`+items+`,`+good+`]}`, want)
	wantExecuted(t, OpenAIResponses, `{"output":[`+items+`]}`, want)
	for _, client := range []string{
		`{"type":"tool_search_call","execution":"client"}`, `{"type":"tool_search_call"}`,
		`{"type":"shell_call","environment":{"type":"local"}}`, `{"type":"shell_call"}`,
		`{"type":"tool_search_call","execution":"server","Execution":"client"}`,
	} {
		r, err := DecodeMessage(OpenAIResponses, []byte(client))
		if err != nil || len(r.Calls) != 1 || r.Calls[0].Fault != Malformed || len(r.Executed) > 0 {
			t.Errorf("%s: %+v, %v", client, r, err)
		}
	}
}

// wantExecuted checks what a message says that the provider has run: beside calls
// in the review, without any in the error.
func wantExecuted(t *testing.T, format Format, body string, want []string) {
	t.Helper()
	r, err := DecodeMessage(format, []byte(body))
	if err != nil {
		message := wantStatus(t, err, 422)
		if !strings.HasSuffix(message, "to judge; the provider has already run "+strings.Join(want, ", ")) {
			t.Errorf("%s: %q", body, message)
		}
		return
	}
	if strings.Join(r.Executed, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: executed %q, want %q", body, r.Executed, want)
	}
	for _, c := range r.Calls {
		if c.Fault != NoFault {
			t.Errorf("%s: %+v", body, c)
		}
	}
}

func TestListOfExecutedIsBounded(t *testing.T) {
	var items []string
	for i := range 1000 {
		items = append(items, `{"type":"mcp_call","server_label":"s","name":"`+strings.Repeat("\u202e", i%128)+strings.Repeat("n", i)+`"}`)
	}
	message := wantStatus(t, func() error {
		_, err := DecodeMessage(OpenAIResponses, []byte(`[`+strings.Join(items, ",")+`]`))
		return err
	}(), 422)
	if !strings.Contains(message, " more") {
		t.Error("nothing says that the list goes on")
	}
}
