package toolcall

import (
	"strings"
	"testing"
)

func TestChatCalls(t *testing.T) {
	one := func(want string) []string { return []string{want} }
	call := func(inner string) string { return `{"id":"c","type":"function","function":` + inner + `}` }
	arguments := func(raw string) string { return call(`{"name":"t","arguments":` + raw + `}`) }
	tests := []callTest{
		{"bare", arguments(`"{\"a\":1.0}"`), one(`c t {"a":1.0}`)},
		{"custom", `{"id":"c","type":"custom","custom":{"name":"t","input":"null"}}`, one(`c t null text`)},
		{"custom empty", `{"id":"c","type":"custom","custom":{"name":"t","input":""}}`, one(`c t  text`)},
		{"custom without type", `{"custom":{"name":"t","input":"x"}}`, one(` t x text`)},
		{"custom absent input", `{"type":"custom","custom":{"name":"t"}}`, one(` t !not_an_object`)},
		{"custom object", `{"type":"custom","custom":{"name":"t","input":{}}}`, one(` t !not_an_object`)},
		{"custom surrogate", `{"type":"custom","custom":{"name":"t","input":"\ud800"}}`, one(` t !invalid_json`)},
		{"null beside", `{"type":"function","custom":null,"function":{"name":"t","arguments":"{}"}}`, one(` t {}`)},
		{"no id, no type", `{"function":{"name":"t","arguments":{"a":1}}}`, one(` t {"a":1}`)},
		{"numeric id", `{"id":3,"function":{"name":"t","arguments":{}}}`, one(`#3 t {}`)},
		{"id list", `{"id":[],"function":{"name":"t","arguments":{}}}`, one("malformed t")},
		{"unknown keys", `{"index":0,"extra":{"Name":"x"},"function":{"name":"t","arguments":{},"strict":true}}`, one(` t {}`)},

		{"arguments text no JSON", arguments(`"{"`), one(`c t {`)},
		{"arguments text list", arguments(`"[]"`), one(`c t []`)},
		{"arguments empty", arguments(`""`), one(`c t {} arguments:empty`)},
		{"arguments blank", arguments(`" \n"`), one(`c t {} arguments:empty`)},
		{"arguments no-break space", arguments(`"\u00a0"`), one("c t \u00a0")},
		{"arguments text null", arguments(`" null "`), one(`c t {} arguments:empty`)},
		{"arguments null", arguments(`null`), one(`c t {} arguments:empty`)},
		{"arguments absent", call(`{"name":"t"}`), one(`c t {} arguments:empty`)},
		{"arguments list", arguments(`[]`), one(`c t []`)},
		{"arguments number", arguments(`0`), one(`c t 0`)},
		{"arguments false", arguments(`false`), one(`c t false`)},
		{"arguments surrogate", arguments(`"{\"a\":\"\ud800\"}"`), one(`c t !invalid_json`)},
		{"arguments escaped surrogate", arguments(`"{\"a\":\"\\ud800\"}"`), one(`c t {"a":"\ud800"}`)},

		{"type other", `{"type":"mcp","function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"type in upper case", `{"type":"Function","function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"type number", `{"type":1,"function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"type function, custom", `{"type":"function","custom":{"name":"t","input":"x"}}`, one("malformed t")},
		{"type custom, function", `{"type":"custom","function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"both", `{"type":"function","function":{"name":"t","arguments":"{}"},"custom":{"name":"u","input":"x"}}`, one("malformed t")},
		{"name absent", call(`{"arguments":"{}"}`), one("malformed ")},
		{"name null", call(`{"name":null,"arguments":"{}"}`), one("malformed ")},
		{"name surrogate", call(`{"name":"\ud800","arguments":"{}"}`), one("malformed \ufffd")},
		{"function text", call(`"t"`), one("malformed ")},
		{"same flat name", `{"name":"t","function":{"name":"t","arguments":"{}"}}`, one(` t {}`)},
		{"other flat name", `{"name":"u","function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"flat name number", `{"name":1,"function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"flat name alone", `{"name":"u","function":{"arguments":"{}"}}`, one("malformed ")},
		{"same flat arguments", `{"arguments":"{}","function":{"name":"t","arguments":"{}"}}`, one(` t {}`)},
		{"other flat arguments", `{"arguments":"{\"a\":1}","function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"flat args", `{"args":{"a":1},"function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"parameters in place of arguments", call(`{"name":"t","parameters":{"a":1}}`), one("malformed t")},

		{"function twice", `{"function":{"name":"t","arguments":"{}"},"function":{"name":"u","arguments":"{}"}}`, one("malformed t")},
		{"Function", `{"function":{"name":"t","arguments":"{}"},"Function":{"name":"u","arguments":"{}"}}`, one("malformed t")},
		{"Function alone", `{"Function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"name twice", call(`{"name":"t","name":"t","arguments":"{}"}`), one("malformed t")},
		{"Name", call(`{"name":"t","Name":"u","arguments":"{}"}`), one("malformed t")},
		{"Arguments", call(`{"name":"t","arguments":"{}","Arguments":"{\"a\":1}"}`), one("malformed t")},
		{"long s", call(`{"name":"t","argument\u017f":"{}"}`), one("malformed t")},
		{"id twice", `{"id":"a","id":"b","function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"Type", `{"type":"function","Type":"custom","function":{"name":"t","arguments":"{}"}}`, one("malformed t")},
		{"surrogate in a key", call(`{"name":"t","na\ud800me":"u","arguments":"{}"}`), one("malformed t")},
		{"too many keys", `{"function":{"name":"t",` + strings.Repeat(`"":0,`, maxMembers) + `"arguments":"{}"}}`, one("malformed ")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := DecodeMessage(OpenAIChat, []byte(tt.body))
			tt.check(t, r.Calls, err)
		})
	}
}

func TestChatMessages(t *testing.T) {
	one := func(want string) []string { return []string{want} }
	const a, b = `{"id":"1","function":{"name":"a","arguments":{}}}`, `{"id":"1","function":{"name":"b","arguments":{}}}`
	const legacy = `{"name":"l","arguments":"{}"}`
	choice := func(more, message string) string { return `{"index":0` + more + `,"message":` + message + `}` }
	tests := []callTest{
		{"message", `{"role":"assistant","content":null,"tool_calls":[` + a + `,` + b + `]}`, []string{"1 a {}", "1 b {}"}},
		{"entries that are none", `{"tool_calls":[null,` + a + `,{},"a",{"name":"t","args":{},"type":"tool_call"}]}`,
			[]string{"malformed ", "1 a {}", "malformed ", "malformed ", "malformed "}},
		{"legacy", `{"function_call":` + legacy + `}`, one(" l {}")},
		{"legacy in a message", `{"role":"assistant","content":null,"tool_calls":null,"function_call":` + legacy + `}`, one(" l {}")},
		{"legacy text", `{"function_call":"auto"}`, one("malformed ")},
		{"legacy without name", `{"function_call":{"arguments":"{}"}}`, one("malformed ")},
		{"legacy beside", `{"function_call":` + legacy + `,"tool_calls":[` + a + `]}`, []string{" l {}", "1 a {}"}},
		{"response", `{"id":"r","choices":[` + choice("", `{"tool_calls":[`+a+`]}`) + `,` + choice("", `{"content":"hi"}`) + `,` + choice("", `{"tool_calls":[`+b+`]}`) + `]}`,
			[]string{"1 a {}", "1 b {}"}},
		{"Ollama response", `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"t","arguments":{"a":1}}}]},"done_reason":"stop","done":true}`, one(` t {"a":1}`)},
		{"Ollama cut short", `{"message":{"tool_calls":[` + a + `]},"done_reason":"length"}`, one("1 a !truncated")},
		{"cut short", `{"choices":[` + choice(`,"finish_reason":"length"`, `{"tool_calls":[`+a+`,{"function":{"name":"c","arguments":[]}},{}],"function_call":`+legacy+`}`) + `,` + choice(`,"finish_reason":"tool_calls"`, `{"tool_calls":[`+b+`]}`) + `]}`,
			[]string{"1 a !truncated", " c !truncated", "malformed ", " l !truncated", "1 b {}"}},
		{"cut by a filter", `{"choices":[` + choice(`,"finish_reason":"content_filter"`, `{"tool_calls":[`+a+`]}`) + `]}`, one("1 a !truncated")},
		{"two finish reasons", `{"choices":[` + choice(`,"finish_reason":"stop","Finish_Reason":"length"`, `{"tool_calls":[`+a+`]}`) + `]}`, one("malformed a")},

		{"tool_calls twice", `{"tool_calls":[` + a + `],"tool_calls":[` + b + `]}`, []string{"malformed a", "malformed b"}},
		{"tool_calls twice, null first", `{"tool_calls":null,"tool_calls":[` + b + `]}`, one("malformed b")},
		{"tool_calls twice, empty last", `{"tool_calls":[` + b + `],"tool_calls":[]}`, one("malformed b")},
		{"tool_calls twice, both empty", `{"tool_calls":[],"tool_calls":[]}`, one("malformed ")},
		{"Tool_Calls", `{"role":"assistant","content":"hi","Tool_Calls":[` + a + `]}`, one("malformed a")},
		{"TOOL_CALLS beside", `{"tool_calls":[],"TOOL_CALLS":[` + a + `]}`, one("malformed a")},
		{"toolCalls", `{"role":"assistant","content":"hi","toolCalls":[` + a + `]}`, one("malformed a")},
		{"long s", `{"role":"assistant","tool_call\u017f":[` + a + `]}`, one("malformed a")},
		{"Function_Call", `{"role":"assistant","tool_calls":[` + a + `],"Function_Call":` + legacy + `}`, []string{"malformed a", "malformed l"}},
		{"choices twice", `{"choices":[` + choice("", `{"tool_calls":[`+a+`]}`) + `],"choices":[]}`, one("malformed a")},
		{"Choices", `{"Choices":[` + choice("", `{"tool_calls":[`+a+`]}`) + `]}`, one("malformed a")},
		{"message twice", `{"choices":[{"message":{"content":"hi"},"message":{"tool_calls":[` + a + `]}}]}`, one("malformed a")},
		{"Message", `{"choices":[{"Message":{"tool_calls":[` + a + `]},"message":{}}]}`, one("malformed a")},
		{"delta beside", `{"choices":[{"message":{"content":"hi"},"delta":{"tool_calls":[` + a + `]}}]}`, one("malformed ")},
		{"empty delta", `{"choices":[{"delta":{},"message":{"tool_calls":[` + a + `]}}]}`, one("1 a {}")},
		{"calls beside the message", `{"choices":[{"message":{"tool_calls":[` + a + `]},"tool_calls":[` + b + `]}]}`, one("malformed a")},
		{"choices and a message", `{"choices":[` + choice("", `{"content":"hi"}`) + `],"tool_calls":[` + a + `]}`, one("malformed a")},
		{"a call and a message", `{"function":{"name":"t","arguments":"{}"},"tool_calls":[` + a + `]}`, []string{"malformed a", "malformed t"}},
		{"surrogate in a key", `{"role":"assistant","tool_\ud800calls":[` + a + `]}`, one("malformed ")},
		{"call in a content part", `{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","name":"t","input":{}}]}`, one("malformed ")},
		{"call in an untyped part", `{"role":"assistant","content":[{"functionCall":{"name":"t","args":{}}}],"tool_calls":[` + a + `]}`, []string{"malformed ", "1 a {}"}},
		{"call in a part that is the content", `{"role":"assistant","content":{"type":"function_call"}}`, one("malformed ")},
		{"too many parts", `{"role":"assistant","content":[` + strings.Repeat(`0,`, maxParts) + `0]}`, one("malformed ")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := DecodeMessage(OpenAIChat, []byte(tt.body))
			tt.check(t, r.Calls, err)
		})
	}
}
