package toolcall

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const reviewHead = `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":`

func requestReview(request string) string { return reviewHead + request + "}" }

func callsReview(calls string) string { return requestReview(`{"calls":[` + calls + `]}`) }

func messageReview(format, body string) string {
	return requestReview(`{"message":{"format":"` + format + `","body":` + body + `}}`)
}

// wantStatus checks an envelope's error and gives its message.
func wantStatus(t *testing.T, err error, status int) string {
	t.Helper()
	var envelope *EnvelopeError
	if !errors.As(err, &envelope) {
		t.Fatalf("error %v, want status %d", err, status)
	}
	reason := map[int]string{400: ReasonBadRequest, 422: ReasonNoCalls}[status]
	if envelope.Status != status || envelope.Reason != reason {
		t.Fatalf("error %+v, want %d %s", envelope, status, reason)
	}
	if envelope.Message == "" || len(envelope.Message) > 2048 {
		t.Fatalf("message of %d bytes", len(envelope.Message))
	}
	return envelope.Message
}

func TestReviewEnvelope(t *testing.T) {
	const call = `{"name":"a","arguments":{}}`
	calls := func(n int) string { return strings.Repeat(call+",", n-1) + call }
	tests := []struct {
		name, body, message string
	}{
		{"empty", ``, "empty"},
		{"blank", ` `, "invalid JSON"},
		{"syntax", requestReview(`{"calls":[` + call + `],}`), "is invalid JSON at byte"},
		{"trailing", callsReview(call) + "x", "behind the value"},
		{"byte order mark", "\ufeff" + callsReview(call), "byte order mark"},
		{"invalid UTF-8 in arguments", callsReview("{\"name\":\"a\",\"arguments\":{\"x\":\"\xff\"}}"), "UTF-8"},
		{"too deep", callsReview(`{"name":"a","arguments":{"x":` + strings.Repeat("[", 160) + strings.Repeat("]", 160) + `}}`), "160 levels"},
		{"list", `[]`, "must be an object"},
		{"no version", `{"kind":"ToolCallReview","request":{}}`, "apiVersion must be"},
		{"other version", `{"apiVersion":"review.callgate.dev/v1","kind":"ToolCallReview","request":{}}`, "apiVersion must be"},
		{"other kind", `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallExecution","request":{}}`, "kind must be"},
		{"no request", `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview"}`, "request is missing"},
		{"request null", requestReview(`null`), "must be an object"},
		{"unknown key", requestReview(`{}`)[:len(requestReview(`{}`))-1] + `,"response":null}`, `unknown field "response"`},
		{"duplicate key", `{"kind":"ToolCallReview","kind":"ToolCallReview"}`, `"kind" twice`},
		{"escaped duplicate key", `{"kind":"ToolCallReview","\u006bind":"ToolCallReview"}`, `"kind" twice`},
		{"case variant", `{"Kind":"ToolCallReview"}`, `must be spelt "kind"`},
		{"Kelvin sign", `{"\u212aind":"ToolCallReview"}`, `must be spelt "kind"`},
		{"hidden characters in a key", requestReview(`{"\u202ecalls":[]}`), `"\u202ecalls"`},
		{"surrogate in a key", requestReview(`{"calls\ud800":[]}`), `unknown field`},
		{"long key", requestReview(`{"` + strings.Repeat("k", 5000) + `":[]}`), "…"},
		{"duplicate calls", requestReview(`{"calls":[` + call + `],"calls":[` + call + `]}`), `"calls" twice`},
		{"both", requestReview(`{"calls":[` + call + `],"message":{}}`), "both"},
		{"both, null", requestReview(`{"calls":[` + call + `],"message":null}`), "both"},
		{"neither", requestReview(`{"uid":"x"}`), "neither"},
		{"empty calls", callsReview(``), "empty"},
		{"calls an object", requestReview(`{"calls":{}}`), "must be a list"},
		{"129 calls", callsReview(calls(129)), "128 calls"},
		{"long uid", requestReview(`{"uid":"` + strings.Repeat("a", 129) + `","calls":[` + call + `]}`), "uid"},
		{"uid with space", requestReview(`{"uid":"a b","calls":[` + call + `]}`), "uid"},
		{"uid with newline", requestReview(`{"uid":"a\n","calls":[` + call + `]}`), "uid"},
		{"uid number", requestReview(`{"uid":1,"calls":[` + call + `]}`), "uid"},
		{"unknown key in a call", callsReview(`{"name":"a","arguments":{},"args":{}}`), `calls[0] has the unknown field "args"`},
		{"unknown key in a later call", callsReview(call + `,{"name":"a","x":1,"x":2}`), `calls[1] has the unknown field "x"`},
		{"surrogate in a call's key", callsReview(`{"name\ud800":"a"}`), `unknown field`},
		{"too many keys in a call", callsReview(`{` + strings.Repeat(`"name":"a",`, maxMembers) + `"name":"a"}`), "more than 1024 fields"},
		{"too many keys in the envelope", `{` + strings.Repeat(`"kind":0,`, maxMembers) + `"kind":0}`, "more than 1024 fields"},
		{"no format", requestReview(`{"message":{"body":{}}}`), "OpenAIChat, OpenAIResponses, Anthropic, Gemini, Bedrock, MCP, Auto"},
		{"format number", requestReview(`{"message":{"format":1,"body":{}}}`), "OpenAIChat, OpenAIResponses, Anthropic, Gemini, Bedrock, MCP, Auto"},
		{"format Auto", messageReview("Auto", `{}`), `fits none of the formats OpenAIChat, `},
		{"format of no provider", messageReview("LangChain", `{}`), `"LangChain" is not supported; supported are OpenAIChat, OpenAIResponses, Anthropic, Gemini, Bedrock, MCP, Auto`},
		{"format Native", messageReview("Native", `{}`), "not supported"},
		{"format in lower case", messageReview("openaichat", `{}`), "not supported"},
		{"no body", requestReview(`{"message":{"format":"MCP"}}`), "body is missing"},
		{"message with more", requestReview(`{"message":{"format":"MCP","body":{},"x":1}}`), `unknown field "x"`},
		{"message null", requestReview(`{"message":null}`), "must be an object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := DecodeReview([]byte(tt.body))
			if got := wantStatus(t, err, 400); !strings.Contains(got, tt.message) {
				t.Errorf("message %q, want %q in it", got, tt.message)
			}
		})
	}
	r, err := DecodeReview([]byte(requestReview(`{"uid":"aZ09._:-","calls":[` + calls(128) + `]}`)))
	if err != nil || len(r.Calls) != 128 || r.UID != "aZ09._:-" || r.Format != Native {
		t.Errorf("%v, %d calls, uid %q, format %s", err, len(r.Calls), r.UID, r.Format)
	}
	if r, err := DecodeReview([]byte(requestReview(`{"uid":"","calls":[` + call + `]}`))); err != nil || r.UID != "" {
		t.Errorf("empty uid: %v", err)
	}
}

func TestReviewTruncatedEverywhere(t *testing.T) {
	body := messageReview("OpenAIChat", `{"tool_calls":[{"id":"a","function":{"name":"t","arguments":"{\"a\":1}"}}]}`)
	for n := range len(body) {
		_, err := DecodeReview([]byte(body[:n]))
		wantStatus(t, err, 400)
	}
}

// callTest is one message and the calls in it, each in the form of show.
type callTest struct {
	name, body string
	want       []string
}

// show writes a call in one line: id server/name arguments, and what is special.
func show(c Call) string {
	s := fmt.Sprintf("%s %s %s", c.ID, c.EffectiveName(), c.Arguments)
	if c.NumericID {
		s = "#" + s
	}
	if c.FreeText {
		s += " text"
	}
	for _, w := range c.Warnings {
		s += " " + w
	}
	if c.Fault == Malformed {
		return "malformed " + c.Name
	}
	if c.Fault != NoFault {
		return fmt.Sprintf("%s %s !%s", c.ID, c.EffectiveName(), c.Fault)
	}
	return s
}

func (tt callTest) check(t *testing.T, calls []Call, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range calls {
		got = append(got, show(c))
	}
	if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
		t.Errorf("got  %q\nwant %q", got, tt.want)
	}
}

func TestNativeCalls(t *testing.T) {
	one := func(want string) []string { return []string{want} }
	tests := []callTest{
		{"plain", `{"id":"c1","name":"t","arguments":{"a":1.0, "a":2}}`, one(`c1 t {"a":1.0, "a":2}`)},
		{"server", `{"server":"s","name":"t","arguments":{}}`, one(` s/t {}`)},
		{"server null", `{"server":null,"name":"t","arguments":{}}`, one(` t {}`)},
		{"server empty", `{"server":"","name":"t","arguments":{}}`, one(` t {}`)},
		{"server number", `{"server":1,"name":"t","arguments":{}}`, one("malformed t")},
		{"server with surrogate", `{"server":"\ud800","name":"t","arguments":{}}`, one("malformed t")},
		{"numeric id", `{"id":1.50,"name":"t","arguments":{}}`, one(`#1.50 t {}`)},
		{"id null", `{"id":null,"name":"t","arguments":{}}`, one(` t {}`)},
		{"id object", `{"id":{},"name":"t","arguments":{}}`, one("malformed t")},
		{"id bool", `{"id":true,"name":"t","arguments":{}}`, one("malformed t")},
		{"id with surrogate", `{"id":"\udc00","name":"t","arguments":{}}`, one("malformed t")},
		{"id at the bound", `{"id":"` + strings.Repeat("i", 256) + `","name":"t","arguments":{}}`, one(strings.Repeat("i", 256) + ` t {}`)},
		{"id too long", `{"id":"` + strings.Repeat("i", 257) + `","name":"t","arguments":{}}`, one("malformed t")},
		{"numeric id too long", `{"id":` + strings.Repeat("1", 257) + `,"name":"t","arguments":{}}`, one("malformed t")},
		{"empty name", `{"name":"","arguments":{}}`, one(`  {}`)},
		{"long name", `{"name":"` + strings.Repeat("n", 9999) + `","arguments":{}}`, one(" " + strings.Repeat("n", 9999) + ` {}`)},
		{"no name", `{"arguments":{}}`, one("malformed ")},
		{"name null", `{"name":null,"arguments":{}}`, one("malformed ")},
		{"name number", `{"name":1,"arguments":{}}`, one("malformed ")},
		{"name with surrogate", `{"name":"a\ud800","arguments":{}}`, one("malformed a\ufffd")},
		{"two names", `{"name":"a","name":"b","arguments":{}}`, one("malformed a")},
		{"the same name twice", `{"name":"a","\u006eame":"a","arguments":{}}`, one("malformed a")},
		{"case variant beside", `{"name":"a","Name":"b","arguments":{}}`, one("malformed a")},
		{"case variant alone", `{"Name":"a","arguments":{}}`, one("malformed a")},
		{"long s", `{"name":"a","argument\u017f":{}}`, one("malformed a")},
		{"dotless i", `{"\u0131d":"x","name":"a","arguments":{}}`, one("malformed a")},
		{"NUL behind", `{"name":"a","name\u0000x":"b","arguments":{}}`, one("malformed a")},
		{"snake case", `{"name":"a","arguments_text":"{}"}`, one("malformed a")},
		{"both arguments", `{"name":"a","arguments":{},"argumentsText":"{}"}`, one("malformed a")},
		{"both arguments, one null", `{"name":"a","arguments":{},"argumentsText":null}`, one("malformed a")},
		{"arguments twice", `{"name":"a","arguments":{},"arguments":{}}`, one("malformed a")},
		{"arguments absent", `{"id":"i","name":"a"}`, one("i a !not_an_object")},
		{"arguments null", `{"name":"a","arguments":null}`, one(` a null`)},
		{"arguments string", `{"name":"a","arguments":"{}"}`, one(` a "{}"`)},
		{"arguments list", `{"name":"a","arguments":[]}`, one(` a []`)},
		{"arguments number", `{"name":"a","arguments":1}`, one(` a 1`)},
		{"arguments with surrogate", `{"name":"a","arguments":{"x":"\ud800"}}`, one(` a {"x":"\ud800"}`)},
		{"text", `{"name":"a","argumentsText":" {\"x\":\u00311.0}"}`, one(` a  {"x":11.0}`)},
		{"text no JSON", `{"name":"a","argumentsText":"{"}`, one(` a {`)},
		{"text empty", `{"name":"a","argumentsText":" \n"}`, one(" a !not_an_object")},
		{"text with surrogate", `{"name":"a","argumentsText":"{\ud800}"}`, one(" a !invalid_json")},
		{"text object", `{"name":"a","argumentsText":{}}`, one(" a !not_an_object")},
		{"element null", `null`, one("malformed ")},
		{"element list", `["a"]`, one("malformed ")},
		{"in order", `{"id":"1","name":"b","arguments":{}},7,{"id":"1","name":"a","arguments":{}}`, []string{"1 b {}", "malformed ", "1 a {}"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := DecodeReview([]byte(callsReview(tt.body)))
			tt.check(t, r.Calls, err)
		})
	}
}

func BenchmarkDecodeReview(b *testing.B) {
	for name, body := range map[string]string{
		"native": callsReview(`{"id":"call_1","name":"get_weather","arguments":{"city":"Oslo","days":3}}`),
		"chat":   messageReview("OpenAIChat", `{"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\",\"days\":3}"}}]}}]}`),
		"mcp":    messageReview("MCP", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Oslo","days":3}}}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeReview([]byte(body)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
