package toolcall

import "testing"

func TestGeminiCalls(t *testing.T) {
	part := func(inner string) string { return `{"functionCall":{"name":"t"` + inner + `}}` }
	const good = `{"functionCall":{"id":"g","name":"g","args":{}}}`
	candidate := func(more, parts string) string {
		return `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]}` + more + `}]}`
	}
	for _, tt := range []callTest{
		{"part", `{"functionCall":{"id":"i","name":"t","args":{"a":3.0}},"thoughtSignature":"x"}`, one(`i t {"a":3.0}`)},
		{"absent", part(``), one(` t {} arguments:empty`)},
		{"null", part(`,"args":null`), one(` t {} arguments:empty`)},
		{"string", part(`,"args":"{}"`), one(` t "{}"`)},
		{"list", part(`,"args":[]`), one(` t []`)},
		{"snake case", `{"function_call":{"name":"t","args":{}},"thought_signature":"x"}`, one(` t {}`)},
		{"both cases", `{"functionCall":{"name":"t","args":{}},"function_call":{"name":"u","args":{}}}`, one(`malformed t`)},
		{"both cases, one null", `{"function_call":null,"functionCall":{"name":"t","args":{}}}`, one(`malformed `)},
		{"FunctionCall", candidate(``, `{"FunctionCall":{"name":"t","args":{}}}`), one(`malformed `)},
		{"twice", `{"functionCall":{"name":"t"},"functionCall":{"name":"u"}}`, one(`malformed t`)},
		{"pieces", part(`,"partialArgs":[{"jsonPath":"$.a"}]`), one(`malformed t`)},
		{"pieces in snake case", part(`,"partial_args":[{}],"args":{}`), one(`malformed t`)},
		{"to be continued", part(`,"args":{},"willContinue":true`), one(`malformed t`)},
		{"to be continued, as text", part(`,"args":{},"will_continue":"true"`), one(`malformed t`)},
		{"not to be continued", part(`,"args":{},"willContinue":false`), one(` t {}`)},
		{"no name", `{"functionCall":{"args":{}}}`, one(`malformed `)},
		{"name twice", part(`,"name":"u"`), one(`malformed t`)},
		{"Args", part(`,"Args":{}`), one(`malformed t`)},
		{"other arguments", part(`,"args":{},"arguments":{"a":1}`), one(`malformed t`)},
		{"another name beside", `{"functionCall":{"name":"t"},"name":"u","args":{}}`, one(`malformed `)},
		{"a text", `{"functionCall":"t"}`, one(`malformed `)},

		{"content", `{"role":"model","parts":[{"text":"x"},` + good + `,` + part(`,"args":{}`) + `]}`, []string{"g g {}", " t {}"}},
		{"response", candidate(`,"finishReason":"STOP"`, `{"text":"x","thought":true},{},`+good), one("g g {}")},
		{"two candidates", `{"candidates":[{"content":{"parts":[` + good + `]}},{"finishReason":"SAFETY"},{"content":{"parts":[` + good + `]}}]}`, []string{"g g {}", "g g {}"}},
		{"cut short", candidate(`,"finishReason":"MAX_TOKENS"`, good+`,{"functionCall":{}}`), []string{"g g !truncated", "malformed "}},
		{"cut short in snake case", candidate(`,"finish_reason":"MAX_TOKENS"`, good), one("g g !truncated")},
		{"stopped by a filter", candidate(`,"finishReason":"SAFETY"`, good), one("g g !truncated")},
		{"stopped, as a number", candidate(`,"finishReason":1`, good), one("g g {}")},
		{"cut short, as a number", candidate(`,"finishReason":2`, good), one("g g !truncated")},
		{"both finish reasons", candidate(`,"finishReason":"STOP","finish_reason":"MAX_TOKENS"`, good), one("malformed g")},
		{"what is no part", candidate(``, good+`,7,null,"x",{"type":"tool_use"},{"newKey":1},{"newToolKey":1,"text":"x"},{"toolUse":{}}`),
			[]string{"g g {}", "malformed ", "malformed ", "malformed ", "malformed ", "malformed ", "malformed ", "malformed "}},
		{"a new key beside text", candidate(``, `{"text":"x","newKey":1},`+good), one("g g {}")},
		{"a result beside", candidate(``, `{"functionResponse":{"name":"t"}},`+good), one("g g {}")},
		{"parts twice", `{"parts":[` + good + `],"parts":[]}`, one("malformed g")},
		{"Parts", `{"parts":[],"Parts":[` + good + `]}`, one("malformed g")},
		{"candidates twice", `{"candidates":[],"candidates":[{"content":{"parts":[` + good + `]}}]}`, one("malformed g")},
		{"candidates and parts", `{"candidates":[{"content":{"parts":[` + good + `]}}],"parts":[]}`, one("malformed g")},
		{"a call beside the content", candidate(`,"functionCall":{"name":"u"}`, good), one("malformed g")},
		{"surrogate in a key", candidate(``, `{"text":"x","function\ud800Call":{}},`+good), []string{"malformed ", "g g {}"}},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.decode(t, Gemini) })
	}
	r, err := DecodeMessage(Gemini, []byte(good))
	if err != nil || !r.Calls[0].IntegersByValue {
		t.Errorf("numbers are not taken for doubles: %+v, %v", r, err)
	}
}

func TestGeminiExecuted(t *testing.T) {
	const parts = `{"executableCode":{"code":"print(1)"}},{"codeExecutionResult":{}},{"executable_code":{}},{"toolCall":{"toolType":"x"}},{"toolResponse":{}}`
	want := []string{"executableCode", "executable_code", "toolCall"}
	wantExecuted(t, Gemini, `{"parts":[`+parts+`]}`, want)
	wantExecuted(t, Gemini, `{"parts":[`+parts+`,{"functionCall":{"name":"g","args":{}}}]}`, want)
	wantExecuted(t, Gemini, `{"parts":[{"functionCall":{"name":"g","args":{}},"executableCode":{}}]}`, one("executableCode"))
}
