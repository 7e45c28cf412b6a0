package toolcall

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/rawjson"
)

// TestMutatedMessages bends good messages the way an attacker would (repeated,
// respelt, moved and nulled members) and asks every reader for its calls. Random
// bytes seldom stay JSON; this keeps to what passes the syntax.
func TestMutatedMessages(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 20
	}
	random := rand.New(rand.NewPCG(1, 2))
	passed := 0
	for _, seed := range mutationSeeds(t) {
		for range rounds {
			root, err := rawjson.Parse([]byte(seed), rawjson.Limits{MaxDepth: MaxDepth, MaxValues: 1 << 12})
			if err != nil {
				t.Fatal(err)
			}
			m := mutator{random: random}
			m.collect(root)
			for range 1 + random.IntN(3) {
				m.mutate()
			}
			body := write(nil, root)
			for _, format := range messageFormats {
				r, err := DecodeMessage(format, body)
				calls := r.Calls
				checkBounds(t, calls, err)
				var envelope *EnvelopeError
				if errors.As(err, &envelope) && envelope.Status != statusNoCalls {
					continue
				}
				passed++
				compareAll(t, format, body, calls)
				if t.Failed() {
					t.Fatalf("body %s", body)
				}
			}
		}
	}
	if passed < rounds {
		t.Errorf("only %d bodies were read", passed)
	}
}

func mutationSeeds(t testing.TB) []string {
	seeds := []string{
		`{"id":"r","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"x","tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{\"x\":1}"}},{"id":"2","type":"custom","custom":{"name":"b","input":"y"}}],"function_call":null}},{"message":{"content":null}}]}`,
		`{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"t","arguments":{"a":1}}}]},"done_reason":"stop"}`,
		`{"role":"assistant","content":[{"type":"text","text":"x"}],"tool_calls":[{"id":"1","function":{"name":"a","arguments":""}}]}`,
		`{"role":"assistant","content":"x","tool_calls":null,"function_call":{"name":"l","arguments":"{}"}}`,
		`{"object":"response","status":"completed","output":[{"type":"reasoning"},{"type":"function_call","id":"f","call_id":"1","namespace":"s","name":"a","arguments":"{\"x\":1}","status":"completed"},{"type":"custom_tool_call","call_id":"2","name":"b","input":"y"},{"type":"mcp_call","server_label":"s","name":"c","arguments":"{}"}]}`,
		`[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},{"type":"function_call","call_id":"1","name":"a","arguments":""},{"type":"mcp_approval_request","id":"3","server_label":"s","name":"d","arguments":"{}"}]`,
		`{"type":"message","role":"assistant","stop_reason":"tool_use","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":"a","input":{"x":1}},{"type":"server_tool_use","id":"2","name":"b","input":{}},{"type":"tool_use","id":"3","name":"c"}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"x"},{"functionCall":{"id":"1","name":"a","args":{"x":1}}},{"function_call":{"name":"b"},"thoughtSignature":"s"},{"executableCode":{"code":"c"}}]},"finishReason":"STOP"}]}`,
		`{"output":{"message":{"role":"assistant","content":[{"text":"x"},{"toolUse":{"toolUseId":"1","name":"a","input":{"x":1}}},{"toolUse":{"toolUseId":"2","name":"b","input":{},"type":"server_tool_use"}}]}},"stopReason":"tool_use"}`,
		`{"toolUseId":"1","name":"a","input":{"x":1}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"name":"u"},"_meta":{}}},{"jsonrpc":"2.0","method":"ping","params":{"name":"v"}},{"jsonrpc":"2.0","id":2,"result":{}}]`,
	}
	for i, c := range reportCases(t) {
		if i%8 == 0 && c.Format != Native && len(c.text()) < 2000 {
			seeds = append(seeds, c.text())
		}
	}
	return seeds
}

type mutator struct {
	random *rand.Rand
	nodes  []*rawjson.Value
}

func (m *mutator) collect(v *rawjson.Value) {
	m.nodes = append(m.nodes, v)
	for _, f := range v.Fields {
		m.collect(f.Value)
	}
	for _, item := range v.Items {
		m.collect(item)
	}
}

func (m *mutator) anyValue() rawjson.Value {
	switch m.random.IntN(8) {
	case 0:
		return rawjson.Value{Kind: rawjson.Null, Raw: []byte("null")}
	case 1:
		return rawjson.Value{Kind: rawjson.Number, Raw: []byte("7")}
	case 2:
		return rawjson.Value{Kind: rawjson.String, Raw: []byte(`"null"`)}
	case 3:
		return rawjson.Value{Kind: rawjson.Array}
	case 4:
		return rawjson.Value{Kind: rawjson.Object}
	}
	// A copy, so that no node ends up inside itself.
	return clone(m.nodes[m.random.IntN(len(m.nodes))])
}

func clone(v *rawjson.Value) rawjson.Value {
	out := *v
	out.Fields = slices.Clone(v.Fields)
	for i, f := range out.Fields {
		value := clone(f.Value)
		out.Fields[i].Value = &value
	}
	out.Items = slices.Clone(v.Items)
	for i, item := range out.Items {
		value := clone(item)
		out.Items[i] = &value
	}
	return out
}

func (m *mutator) mutate() {
	v := m.nodes[m.random.IntN(len(m.nodes))]
	if m.random.IntN(6) == 0 {
		*v = m.anyValue()
		return
	}
	value := m.anyValue()
	switch {
	case v.Kind == rawjson.Array:
		v.Items = slices.Insert(v.Items, m.random.IntN(len(v.Items)+1), &value)
	case v.Kind == rawjson.Object && len(v.Fields) > 0:
		at := m.random.IntN(len(v.Fields))
		key := m.respell(v.Fields[at].Key)
		switch m.random.IntN(4) {
		case 0:
			v.Fields[at].Key = key
		case 1:
			v.Fields = slices.Delete(v.Fields, at, at+1)
		default:
			v.Fields = slices.Insert(v.Fields, m.random.IntN(len(v.Fields)+1), rawjson.Field{Key: key, Value: &value})
		}
	}
}

func (m *mutator) respell(key string) string {
	known := []string{"name", "arguments", "function", "custom", "tool_calls", "function_call", "choices", "message", "method", "params", "type", "input",
		"output", "content", "parts", "candidates", "functionCall", "args", "toolUse", "toolUseId", "call_id", "status", "role"}
	switch m.random.IntN(6) {
	case 0:
		return strings.ToUpper(key)
	case 1:
		return strings.ReplaceAll(key, "s", "ſ")
	case 2:
		if key != "" {
			return strings.ToUpper(key[:1]) + key[1:]
		}
	case 3:
		return known[m.random.IntN(len(known))]
	}
	return key
}

func write(dst []byte, v *rawjson.Value) []byte {
	switch v.Kind {
	case rawjson.Array:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = write(dst, item)
		}
		return append(dst, ']')
	case rawjson.Object:
		dst = append(dst, '{')
		for i, f := range v.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(rawjson.AppendString(dst, f.Key), ':')
			dst = write(dst, f.Value)
		}
		return append(dst, '}')
	}
	return append(dst, v.Raw...)
}

// entries are what a list may hold, by what becomes of each.
var entries = map[Format]struct {
	wrap                              string
	call, executed, plain, unreadable []string
}{
	OpenAIChat: {`{"tool_calls":[%s]}`,
		[]string{`{"id":"1","function":{"name":"t","arguments":"{}"}}`, `{"type":"custom","custom":{"name":"t","input":""}}`}, nil, nil,
		[]string{`7`, `null`, `{}`, `[]`, `{"type":"function"}`, `{"name":"t","args":{}}`}},
	OpenAIResponses: {`{"output":[%s]}`,
		[]string{`{"type":"function_call","name":"t","arguments":"{}"}`, `{"type":"custom_tool_call","name":"t","input":""}`},
		[]string{`{"type":"mcp_call","server_label":"s","name":"t"}`, `{"type":"web_search_call"}`},
		[]string{`{"type":"reasoning"}`, `{"type":"message","content":"x"}`},
		[]string{`7`, `null`, `{}`, `{"type":"tool_use","name":"t","input":{}}`, `{"type":"shell_call"}`, `{"type":"function_call"}`}},
	Anthropic: {`{"role":"assistant","content":[%s]}`,
		[]string{`{"type":"tool_use","name":"t","input":{}}`},
		[]string{`{"type":"server_tool_use","name":"s"}`, `{"type":"mcp_tool_use","name":"s"}`},
		[]string{`{"type":"text","text":"x"}`, `{"type":"mcp_tool_result"}`},
		[]string{`7`, `null`, `{}`, `{"type":"function_call","name":"t","arguments":"{}"}`, `{"type":"tool_use"}`}},
	Gemini: {`{"parts":[%s]}`,
		[]string{`{"functionCall":{"name":"t","args":{}}}`, `{"function_call":{"name":"t"}}`},
		[]string{`{"executableCode":{}}`, `{"toolCall":{}}`},
		[]string{`{"text":"x"}`, `{"thought":true}`, `{}`},
		[]string{`7`, `null`, `{"type":"tool_use"}`, `{"toolUse":{}}`, `{"functionCall":{}}`, `{"functionCall":{"name":"t","willContinue":true}}`}},
	Bedrock: {`{"role":"assistant","content":[%s]}`,
		[]string{`{"toolUse":{"name":"t","input":{}}}`},
		[]string{`{"toolUse":{"name":"s","type":"server_tool_use"}}`},
		[]string{`{"text":"x"}`, `{"toolResult":{}}`},
		[]string{`7`, `null`, `{"type":"tool_use","name":"t","input":{}}`, `{"functionCall":{}}`, `{"toolUse":{}}`, `{"toolUse":7}`}},
	MCP: {`[%s]`,
		[]string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`}, nil,
		[]string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		[]string{`7`, `null`, `{}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"name":"t","arguments":{}}`}},
}

// Every entry of a list is a call, or was executed, or holds no call for sure, or
// blocks: whatever stands beside it, and in the order of the list.
func TestEveryEntryIsAccountedFor(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, format := range messageFormats {
		e := entries[format]
		kinds := [][]string{e.call, e.executed, e.plain, e.unreadable}
		for range 300 {
			var list, executed []string
			var want []Fault
			for range random.IntN(12) {
				kind := random.IntN(len(kinds))
				if len(kinds[kind]) == 0 {
					continue
				}
				entry := kinds[kind][random.IntN(len(kinds[kind]))]
				list = append(list, entry)
				switch kind {
				case 0:
					want = append(want, NoFault)
				case 1:
					if !slices.Contains(executed, entry) {
						executed = append(executed, entry)
					}
				case 3:
					want = append(want, Malformed)
				}
			}
			r, err := DecodeMessage(format, []byte(strings.Replace(e.wrap, "%s", strings.Join(list, ","), 1)))
			if len(want) == 0 {
				if err == nil {
					t.Fatalf("%s: %q gives %+v", format, list, r)
				}
				continue
			}
			var got []Fault
			for _, c := range r.Calls {
				got = append(got, c.Fault)
			}
			if err != nil || !slices.Equal(got, want) || len(r.Executed) != len(executed) {
				t.Fatalf("%s: %q gives faults %q, executed %q, error %v", format, list, got, r.Executed, err)
			}
		}
	}
}
