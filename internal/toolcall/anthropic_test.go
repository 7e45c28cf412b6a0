package toolcall

import "testing"

func TestAnthropicCalls(t *testing.T) {
	block := func(more string) string { return `{"type":"tool_use","id":"i","name":"t"` + more + `}` }
	const good = `{"type":"tool_use","id":"g","name":"g","input":{}}`
	message := func(more, blocks string) string {
		return `{"type":"message","role":"assistant"` + more + `,"content":[` + blocks + `]}`
	}
	for _, tt := range []callTest{
		{"block", block(`,"input":{"a":1.0}`), one(`i t {"a":1.0}`)},
		{"absent", block(``), one(`i t {} arguments:empty`)},
		{"null", block(`,"input":null`), one(`i t {} arguments:empty`)},
		{"string", block(`,"input":"{}"`), one(`i t "{}"`)},
		{"empty string", block(`,"input":""`), one(`i t ""`)},
		{"list", block(`,"input":[]`), one(`i t []`)},
		{"no id", `{"type":"tool_use","name":"t","input":{}}`, one(` t {}`)},
		{"id list", `{"type":"tool_use","id":[],"name":"t","input":{}}`, one(`malformed t`)},
		{"other keys", block(`,"input":{},"caller":{"type":"direct"},"cache_control":null`), one(`i t {}`)},
		{"no name", `{"type":"tool_use","id":"i","input":{}}`, one(`malformed `)},
		{"name number", `{"type":"tool_use","id":"i","name":7,"input":{}}`, one(`malformed `)},
		{"name twice", block(`,"name":"u","input":{}`), one(`malformed t`)},
		{"Input", block(`,"input":{},"Input":{"a":1}`), one(`malformed t`)},
		{"input twice", block(`,"input":{},"input":{}`), one(`malformed t`)},
		{"other arguments", block(`,"input":{},"arguments":"{\"a\":1}"`), one(`malformed t`)},
		{"a function inside", block(`,"input":{},"function":{"name":"u"}`), one(`malformed tool_use`)},
		{"type twice", `{"type":"tool_use","type":"text","name":"t","input":{}}`, one(`malformed tool_use`)},
		{"Type beside a plain one", `{"type":"text","Type":"tool_use","name":"t","input":{}}`, one(`malformed text`)},
		{"a block with content", block(`,"input":{},"content":[` + good + `]`), one(`malformed t`)},
		{"surrogate in a key", block(`,"input":{},"na\ud800me":"u"`), one(`malformed tool_use`)},

		{"list", `[{"type":"text","text":"x"},` + good + `,` + block(`,"input":{}`) + `]`, []string{"g g {}", "i t {}"}},
		{"message", `{"role":"assistant","content":[{"type":"thinking","thinking":"x"},` + good + `]}`, one("g g {}")},
		{"response", message(`,"id":"m","model":"x","stop_reason":"tool_use"`, good), one("g g {}")},
		{"response without role", `{"type":"message","content":[` + good + `]}`, one("g g {}")},
		{"cut short", message(`,"stop_reason":"max_tokens"`, good+`,{"type":"x"}`), []string{"g g !truncated", "malformed x"}},
		{"window exceeded", message(`,"stop_reason":"model_context_window_exceeded"`, good), one("g g !truncated")},
		{"refusal", message(`,"stop_reason":"refusal"`, good), one("g g !truncated")},
		{"two stop reasons", message(`,"stop_reason":"tool_use","stopReason":"max_tokens"`, good), one("malformed g")},
		{"what is no block", message(``, good+`,7,null,"x",{},{"type":"function_call","name":"t"},{"toolUse":{"name":"t","input":{}}}`),
			[]string{"g g {}", "malformed ", "malformed ", "malformed ", "malformed ", "malformed function_call", "malformed "}},
		{"content twice", message(`,"content":[]`, good), one("malformed g")},
		{"Content", message(`,"Content":[]`, good), one("malformed g")},
		{"content and tool_calls", message(`,"tool_calls":[{}]`, good), one("malformed g")},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.decode(t, Anthropic) })
	}
}

func TestAnthropicExecuted(t *testing.T) {
	const blocks = `{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"web_search_tool_result","content":[]},` +
		`{"type":"mcp_tool_use","server_name":"gh","name":"search"},{"type":"mcp_tool_result"},{"type":"tool_result"}`
	want := []string{"server_tool_use:web_search", "mcp_tool_use:gh/search"}
	wantExecuted(t, Anthropic, `{"role":"assistant","content":[`+blocks+`]}`, want)
	wantExecuted(t, Anthropic, `{"role":"assistant","content":[`+blocks+`,{"type":"tool_use","id":"g","name":"g","input":{}}]}`, want)
}
