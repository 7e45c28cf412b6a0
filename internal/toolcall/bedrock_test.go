package toolcall

import "testing"

func TestBedrockCalls(t *testing.T) {
	use := func(more string) string { return `{"toolUseId":"i","name":"t"` + more + `}` }
	block := func(more string) string { return `{"toolUse":` + use(more) + `}` }
	const good = `{"toolUse":{"toolUseId":"g","name":"g","input":{}}}`
	response := func(more, blocks string) string {
		return `{"output":{"message":{"role":"assistant","content":[` + blocks + `]}}` + more + `}`
	}
	for _, tt := range []callTest{
		{"block", block(`,"input":{"a":1.0}`), one(`i t {"a":1.0}`)},
		{"what is in it", use(`,"input":{"a":1.0}`), one(`i t {"a":1.0}`)},
		{"absent", block(``), one(`i t {} arguments:empty`)},
		{"null", block(`,"input":null`), one(`i t {} arguments:empty`)},
		{"string", block(`,"input":"{}"`), one(`i t "{}"`)},
		{"empty string", block(`,"input":""`), one(`i t ""`)},
		{"number", block(`,"input":7`), one(`i t 7`)},
		{"no id", `{"toolUse":{"name":"t","input":{}}}`, one(` t {}`)},
		{"no name", `{"toolUse":{"toolUseId":"i","input":{}}}`, one(`malformed `)},
		{"name twice", block(`,"name":"u","input":{}`), one(`malformed t`)},
		{"Input", block(`,"input":{},"Input":{"a":1}`), one(`malformed t`)},
		{"tool_use_id beside", block(`,"tool_use_id":"j","input":{}`), one(`malformed t`)},
		{"other arguments", block(`,"input":{},"args":{"a":1}`), one(`malformed t`)},
		{"another type", block(`,"type":"x","input":{}`), one(`malformed t`)},
		{"type null", block(`,"type":null,"input":{}`), one(`i t {}`)},
		{"toolUse twice", `{"toolUse":{"toolUseId":"i","name":"t","input":{}},"toolUse":{"name":"u"}}`, one(`malformed t`)},
		{"ToolUse", response(``, `{"ToolUse":{"name":"u","input":{}}},`+good), []string{`malformed `, "g g {}"}},
		{"another call beside", response(``, `{"toolUse":{"name":"t","input":{}},"type":"tool_use","name":"u","input":{}}`), one(`malformed `)},
		{"toolUse inside toolUse", `{"toolUse":` + good + `}`, one(`malformed `)},
		{"both", `{"toolUse":{"name":"t","input":{}},"toolUseId":"x","name":"u","input":{}}`, one(`malformed `)},

		{"message", `{"role":"assistant","content":[{"text":"x"},` + good + `,` + block(`,"input":{}`) + `]}`, []string{"g g {}", "i t {}"}},
		{"response", response(`,"stopReason":"tool_use","usage":{}`, `{"reasoningContent":{}},`+good), one("g g {}")},
		{"cut short", response(`,"stopReason":"max_tokens"`, good+`,{}`), one("g g !truncated")},
		{"guardrail", response(`,"stopReason":"guardrail_intervened"`, good), one("g g !truncated")},
		{"malformed by the model", response(`,"stopReason":"malformed_tool_use"`, good), one("g g !truncated")},
		{"two stop reasons", response(`,"stopReason":"tool_use","stop_reason":"max_tokens"`, good), one("malformed g")},
		{"what is no block", response(``, good+`,7,null,{"type":"tool_use","name":"t","input":{}},{"newKey":{}},{"functionCall":{}}`),
			[]string{"g g {}", "malformed ", "malformed ", "malformed ", "malformed ", "malformed "}},
		{"content twice", `{"role":"assistant","content":[` + good + `],"content":[]}`, one("malformed g")},
		{"output twice", response(`,"output":{"message":{"content":[]}}`, good), one("malformed g")},
		{"Message", `{"output":{"message":{"content":[]},"Message":{"content":[` + good + `]}}}`, one("malformed g")},
		{"a message beside the output", response(`,"message":{"content":[]}`, good), one("malformed g")},
		{"content beside the output", response(`,"content":[]`, good), one("malformed g")},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.decode(t, Bedrock) })
	}
}

func TestBedrockExecuted(t *testing.T) {
	const blocks = `{"toolUse":{"toolUseId":"s","name":"web","input":{},"type":"server_tool_use"}},{"toolResult":{"toolUseId":"s"}}`
	want := one("server_tool_use:web")
	wantExecuted(t, Bedrock, `{"role":"assistant","content":[`+blocks+`]}`, want)
	wantExecuted(t, Bedrock, `{"role":"assistant","content":[`+blocks+`,{"toolUse":{"toolUseId":"g","name":"g","input":{}}}]}`, want)
}
