package toolcall

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/rawjson"
)

// seeds are the bodies of the shared table and of the nasty kind.
func seeds(f *testing.F) []string {
	out := []string{
		`{"choices":[{"finish_reason":"length","message":{"tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}]}}]}`,
		`{"role":"assistant","Tool_Calls":[{"Function":{"Name":"t","Argument\u017f":{}}}],"tool_calls":null}`,
		`{"message":{"tool_calls":[{"custom":{"name":"t","input":"x"}}],"function_call":{"name":"u"}},"done_reason":"stop"}`,
		`{"function":{"name":"t","name":"u"},"name":"t","args":{}}`,
		`[{"jsonrpc":"2.0","method":"tools/call","Method":"ping","params":{"name":"t"}},{"jsonrpc":"2.0","id":1,"result":{}}]`,
		`{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"\ud800","arguments":null}}`,
	}
	for _, c := range reportCases(f) {
		out = append(out, c.text())
	}
	for _, tt := range autoTests {
		out = append(out, tt.body)
	}
	return append(out, mutationSeeds(f)...)
}

func FuzzOpenAIChat(f *testing.F)      { fuzzFormat(f, OpenAIChat) }
func FuzzOpenAIResponses(f *testing.F) { fuzzFormat(f, OpenAIResponses) }
func FuzzAnthropic(f *testing.F)       { fuzzFormat(f, Anthropic) }
func FuzzGemini(f *testing.F)          { fuzzFormat(f, Gemini) }
func FuzzBedrock(f *testing.F)         { fuzzFormat(f, Bedrock) }
func FuzzMCP(f *testing.F)             { fuzzFormat(f, MCP) }

// FuzzDecodeMessage reads one body as every format, and as the one that fits.
func FuzzDecodeMessage(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, format := range messageFormats {
			checkMessage(t, format, body)
		}
		checkAuto(t, body)
	})
}

// fuzzFormat is seeded with the bodies of all formats: those of others are what a
// confused client sends.
func fuzzFormat(f *testing.F, format Format) {
	for _, s := range seeds(f) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkMessage(t, format, body) })
}

// checkMessage holds a decoder to its bounds, and to finding every call that another
// reader finds.
func checkMessage(t *testing.T, format Format, body []byte) {
	t.Helper()
	r, err := DecodeMessage(format, body)
	checkBounds(t, r.Calls, err)
	if err != nil {
		var envelope *EnvelopeError
		if errors.As(err, &envelope) && envelope.Status == statusNoCalls {
			compareAll(t, format, body, nil)
		}
		return
	}
	compareAll(t, format, body, r.Calls)
	checkReplies(t, r)
}

func compareAll(t *testing.T, format Format, body []byte, calls []Call) {
	t.Helper()
	for name, read := range readers() {
		compare(t, string(format)+": "+name, read(format, body), calls)
	}
}

// checkReplies holds what a message is answered with to JSON, one answer a call.
func checkReplies(t *testing.T, r Review) {
	t.Helper()
	texts := make([]string, len(r.Calls))
	for i := range texts {
		texts[i] = "no"
	}
	replies := Reply(r, texts)
	if len(replies) > len(r.Calls) {
		t.Fatalf("%d replies to %d calls", len(replies), len(r.Calls))
	}
	for _, reply := range replies {
		if _, err := rawjson.Check(reply, 8); err != nil {
			t.Fatalf("%s: %v", reply, err)
		}
	}
}

// checkAuto holds Auto to the formats: it gives what one of them gives.
func checkAuto(t *testing.T, body []byte) {
	t.Helper()
	r, err := DecodeMessage(Auto, body)
	checkBounds(t, r.Calls, err)
	if err != nil {
		return
	}
	want, err := DecodeMessage(r.Format, body)
	if err != nil || len(want.Calls) != len(r.Calls) {
		t.Fatalf("Auto gives %+v, %s gives %+v, %v", r, r.Format, want, err)
	}
}

func checkBounds(t *testing.T, calls []Call, err error) {
	t.Helper()
	if err != nil {
		var envelope *EnvelopeError
		if !errors.As(err, &envelope) || len(calls) != 0 {
			t.Fatalf("error %v with %d calls", err, len(calls))
		}
		if !utf8.ValidString(envelope.Message) || len(envelope.Message) > 2048 {
			t.Fatalf("message %q", envelope.Message)
		}
		return
	}
	if len(calls) == 0 || len(calls) > MaxCalls {
		t.Fatalf("%d calls", len(calls))
	}
	for _, c := range calls {
		if !utf8.ValidString(c.ID) || !utf8.ValidString(c.Name) || !utf8.ValidString(c.Server) || len(c.ID) > MaxIDBytes {
			t.Fatalf("call %+v", c)
		}
		if c.Fault == NoFault && !c.FreeText && len(c.Arguments) == 0 {
			t.Fatalf("no arguments and no fault: %+v", c)
		}
	}
}

func FuzzDecodeReview(f *testing.F) {
	for _, c := range reportCases(f) {
		f.Add([]byte(c.review(f)))
	}
	f.Add([]byte(callsReview(`{"id":1,"server":"s","name":"t","argumentsText":"{}"},{"Name":"t"}`)))
	f.Add([]byte(requestReview(`{"uid":"x","message":{"format":"Auto","body":{}}}`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := DecodeReview(body)
		checkBounds(t, r.Calls, err)
		if err != nil || r.Format == Native {
			return
		}
		message := tree{raw: body}.get("request", "message", "body").raw
		compareAll(t, r.Format, message, r.Calls)
	})
}
