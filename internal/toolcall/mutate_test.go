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
				calls, err := DecodeMessage(format, body)
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

func mutationSeeds(t *testing.T) []string {
	seeds := []string{
		`{"id":"r","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"x","tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{\"x\":1}"}},{"id":"2","type":"custom","custom":{"name":"b","input":"y"}}],"function_call":null}},{"message":{"content":null}}]}`,
		`{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"t","arguments":{"a":1}}}]},"done_reason":"stop"}`,
		`{"role":"assistant","content":[{"type":"text","text":"x"}],"tool_calls":[{"id":"1","function":{"name":"a","arguments":""}}]}`,
		`{"role":"assistant","content":"x","tool_calls":null,"function_call":{"name":"l","arguments":"{}"}}`,
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
	known := []string{"name", "arguments", "function", "custom", "tool_calls", "function_call", "choices", "message", "method", "params", "type", "input"}
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
