package toolcall

import "testing"

// A namespace makes another tool of a name.
func TestChatNamespace(t *testing.T) {
	for message, want := range map[string]struct {
		name  string
		fault Fault
	}{
		`{"type":"function","namespace":"s","function":{"name":"t","arguments":"{}"}}`:                 {name: "s/t"},
		`{"type":"function","function":{"name":"t","namespace":"s","arguments":"{}"}}`:                 {name: "s/t"},
		`{"type":"function","namespace":"s","function":{"name":"t","namespace":"s","arguments":"{}"}}`: {name: "s/t"},
		`{"type":"function","namespace":null,"function":{"name":"t","arguments":"{}"}}`:                {name: "t"},
		`{"type":"function","namespace":"","function":{"name":"t","arguments":"{}"}}`:                  {name: "t"},
		`{"type":"custom","namespace":"s","custom":{"name":"t","input":"x"}}`:                          {name: "s/t"},
		`{"function_call":{"name":"t","namespace":"s","arguments":"{}"}}`:                              {name: "s/t"},
		`{"type":"function","namespace":"a","function":{"name":"t","namespace":"b","arguments":"{}"}}`: {fault: Malformed},
		`{"type":"function","namespace":7,"function":{"name":"t","arguments":"{}"}}`:                   {fault: Malformed},
		`{"type":"function","Namespace":"s","function":{"name":"t","arguments":"{}"}}`:                 {fault: Malformed},
		`{"type":"function","namespace":"s","namespace":"s","function":{"name":"t","arguments":"{}"}}`: {fault: Malformed},
	} {
		r, err := DecodeMessage(OpenAIChat, []byte(message))
		calls := r.Calls
		if err != nil || len(calls) != 1 {
			t.Errorf("%s: %d calls, %v", message, len(calls), err)
			continue
		}
		if c := calls[0]; c.Fault != want.fault || want.fault == NoFault && c.EffectiveName() != want.name {
			t.Errorf("%s: %q with fault %q, want %q with fault %q", message, c.EffectiveName(), c.Fault, want.name, want.fault)
		}
	}
}
