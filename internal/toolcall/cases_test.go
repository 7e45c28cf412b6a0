package toolcall

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// reportCase is a call from a public report, with the verdict it must get. What
// this package decides of it is checked here, the rest where it is judged.
type reportCase struct {
	ID          string          `json:"id"`
	Kind        string          `json:"kind"`
	Format      Format          `json:"format"`
	Message     json.RawMessage `json:"message"`
	MessageText string          `json:"messageText"`
	Expect      struct {
		Code    string   `json:"code"`
		Errors  []string `json:"errors"`
		PerCall []struct {
			ID string `json:"id"`
		} `json:"perCall"`
	} `json:"expect"`
}

func (c reportCase) text() string {
	if c.MessageText != "" {
		return c.MessageText
	}
	return string(c.Message)
}

// reportCases are those of the shared table whose calls this package decodes.
func reportCases(t testing.TB) []reportCase {
	t.Helper()
	f, err := os.Open("../../test/cases/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []reportCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c reportCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		isCall := slices.Contains([]string{"call", "batch", "envelope", "policy"}, c.Kind)
		if isCall && slices.Contains(append([]Format{Native}, messageFormats...), c.Format) {
			cases = append(cases, c)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

// review wraps the case's message as a client would.
func (c reportCase) review(t testing.TB) string {
	t.Helper()
	if c.Format != Native {
		return messageReview(string(c.Format), c.text())
	}
	var m struct {
		ID              string
		Name            string
		Arguments, Args json.RawMessage
	}
	if err := json.Unmarshal(c.Message, &m); err != nil {
		t.Fatal(err)
	}
	if m.Arguments == nil {
		m.Arguments = m.Args
	}
	return callsReview(`{"id":"` + m.ID + `","name":"` + m.Name + `","arguments":` + string(m.Arguments) + `}`)
}

func TestReportCases(t *testing.T) {
	cases := reportCases(t)
	if len(cases) < 150 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			r, err := DecodeReview([]byte(c.review(t)))
			if err != nil {
				t.Fatal(err)
			}
			if r.Format != c.Format || len(r.Calls) != max(1, len(c.Expect.PerCall)) {
				t.Fatalf("format %s, %d calls", r.Format, len(r.Calls))
			}
			for i, want := range c.Expect.PerCall {
				if r.Calls[i].ID != want.ID {
					t.Errorf("call %d has id %q, want %q", i, r.Calls[i].ID, want.ID)
				}
			}
			for _, call := range r.Calls {
				c.check(t, call)
			}
			if c.Format != Native {
				c.checkReadings(t, r.Calls)
				if format, ok := SniffMessage([]byte(c.text())); !ok || format != c.Format {
					t.Errorf("sniffed %q, %v", format, ok)
				}
			}
		})
	}
}

func (c reportCase) check(t *testing.T, call Call) {
	t.Helper()
	if (call.Fault == Malformed) != (c.Expect.Code == "malformed_call") {
		t.Fatalf("fault %q, want code %s", call.Fault, c.Expect.Code)
	}
	if call.Fault != NoFault && call.Fault != Malformed && !slices.Equal(c.Expect.Errors, []string{"arguments:" + string(call.Fault)}) {
		t.Errorf("fault %q, want errors %q", call.Fault, c.Expect.Errors)
	}
	if call.Fault == NoFault && len(call.Arguments) == 0 {
		t.Error("no fault and no arguments")
	}
}

// checkReadings compares with what other readers make of an unambiguous message.
func (c reportCase) checkReadings(t *testing.T, calls []Call) {
	t.Helper()
	for reader, read := range readers() {
		compare(t, reader, read(c.Format, []byte(c.text())), calls)
	}
}
