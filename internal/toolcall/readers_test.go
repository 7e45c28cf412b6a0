package toolcall

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/rawjson"
)

// reading is a call as some other program reads it.
type reading struct {
	name string
	// arguments is the text of the arguments: the content of a string, or the
	// JSON of anything else; "" for null and absent.
	arguments string
}

// readers are programs that run calls: each finds calls in its own lenient way.
// Whatever one of them finds, the decoder must have found, or must block.
func readers() map[string]func(Format, []byte) []reading {
	return map[string]func(Format, []byte) []reading{
		"Go structs": func(f Format, b []byte) []reading {
			return goReaders[f](b)
		},
		"last wins":  func(f Format, b []byte) []reading { return fromTree(f, tree{raw: b}) },
		"first wins": func(f Format, b []byte) []reading { return fromTree(f, tree{raw: b, first: true}) },
		"last wins, any case": func(f Format, b []byte) []reading {
			return fromTree(f, tree{raw: b, fold: true})
		},
		"first wins, any case": func(f Format, b []byte) []reading {
			return fromTree(f, tree{raw: b, first: true, fold: true})
		},
	}
}

// compare fails the test where a reader sees a call that the decoder let pass as
// another one, or not at all.
func compare(t testing.TB, reader string, read []reading, calls []Call) {
	t.Helper()
	for _, c := range calls {
		if c.Fault == Malformed {
			return // the review as a whole is blocked
		}
	}
	if len(read) != len(calls) {
		t.Fatalf("%s reads %d calls, the decoder %d: %+v, %+v", reader, len(read), len(calls), read, calls)
	}
	for i, c := range calls {
		if read[i].name != c.Name {
			t.Errorf("%s reads call %d as %q, the decoder as %q", reader, i, read[i].name, c.Name)
		}
		if c.Fault != NoFault {
			continue
		}
		if !c.FreeText && rawjson.KindOf(c.Arguments) != rawjson.Object {
			continue // no judge lets it pass
		}
		want := string(c.Arguments)
		if len(c.Warnings) > 0 {
			if trimmed := strings.Trim(read[i].arguments, jsonSpace); trimmed != "" && trimmed != "null" {
				t.Errorf("%s reads arguments %q in call %d, the decoder none", reader, read[i].arguments, i)
			}
			continue
		}
		if read[i].arguments != want {
			t.Errorf("%s reads arguments %q in call %d, the decoder %q", reader, read[i].arguments, i, want)
		}
	}
}

type goInner struct {
	Name             string          `json:"name"`
	Arguments, Input json.RawMessage `json:",omitempty"`
}

type goCall struct {
	Function *goInner `json:"function"`
	Custom   *goInner `json:"custom"`
}

type goMessage struct {
	ToolCalls    []*goCall `json:"tool_calls"`
	FunctionCall *goInner  `json:"function_call"`
}

type goBody struct {
	goMessage
	goCall
	Message *goMessage `json:"message"`
	Choices []struct {
		Message *goMessage `json:"message"`
	} `json:"choices"`
}

func goChat(b []byte) []reading {
	var body goBody
	_ = json.Unmarshal(b, &body) // what does not fit is left out, as many do
	var out []reading
	for _, c := range body.Choices {
		out = append(out, c.Message.readings()...)
	}
	out = append(out, body.Message.readings()...)
	out = append(out, body.goMessage.readings()...)
	return append(out, body.goCall.readings()...)
}

func (m *goMessage) readings() []reading {
	if m == nil {
		return nil
	}
	var out []reading
	for _, c := range m.ToolCalls {
		out = append(out, c.readings()...)
	}
	if m.FunctionCall != nil {
		out = append(out, reading{m.FunctionCall.Name, argumentText(m.FunctionCall.Arguments)})
	}
	return out
}

func (c *goCall) readings() []reading {
	switch {
	case c == nil:
		return nil
	case c.Function != nil:
		return []reading{{c.Function.Name, argumentText(c.Function.Arguments)}}
	case c.Custom != nil:
		return []reading{{c.Custom.Name, argumentText(c.Custom.Input)}}
	}
	return nil
}

type goRPC struct {
	Method string `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

func goMCP(b []byte) []reading {
	var batch []goRPC
	if rawjson.KindOf(b) == rawjson.Object {
		batch = make([]goRPC, 1)
		_ = json.Unmarshal(b, &batch[0])
	} else {
		_ = json.Unmarshal(b, &batch)
	}
	var out []reading
	for _, m := range batch {
		if m.Method == methodCall {
			out = append(out, reading{m.Params.Name, argumentText(m.Params.Arguments)})
		}
	}
	return out
}

func argumentText(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if raw[0] == '"' {
		s, _ := rawjson.Text(raw)
		return s
	}
	return string(raw)
}

// tree reads by key, exactly or in any case, and takes the first or the last of
// equal ones.
type tree struct {
	raw         []byte
	first, fold bool
}

func (t tree) get(path ...string) tree {
	for _, key := range path {
		members, _ := rawjson.Members(t.raw, 1<<20)
		t.raw = nil
		for _, m := range members {
			if m.Key == key || t.fold && strings.EqualFold(m.Key, key) {
				t.raw = m.Value
				if t.first {
					break
				}
			}
		}
	}
	return t
}

func (t tree) list() []tree {
	elements, _ := rawjson.Elements(t.raw, 1<<20)
	out := make([]tree, len(elements))
	for i, e := range elements {
		out[i] = tree{e, t.first, t.fold}
	}
	return out
}

func (t tree) is(kind rawjson.Kind) bool { return rawjson.KindOf(t.raw) == kind }

func (t tree) text() string {
	s, _ := rawjson.Text(t.raw)
	return s
}

func fromTree(f Format, root tree) []reading {
	switch f {
	case OpenAIChat:
		return root.chat()
	case OpenAIResponses:
		return root.responses()
	case Anthropic:
		return root.anthropic()
	case Gemini:
		return root.gemini()
	case Bedrock:
		return root.bedrock()
	}
	batch := []tree{root}
	if root.is(rawjson.Array) {
		batch = root.list()
	}
	var out []reading
	for _, m := range batch {
		if m.get("method").text() == methodCall {
			out = append(out, reading{m.get("params", "name").text(), argumentText(m.get("params", "arguments").raw)})
		}
	}
	return out
}

func (t tree) chat() []reading {
	var out []reading
	for _, c := range t.get("choices").list() {
		out = append(out, c.get("message").chatMessage()...)
	}
	out = append(out, t.get("message").chatMessage()...)
	out = append(out, t.chatMessage()...)
	return append(out, t.chatCall()...)
}

func (t tree) chatMessage() []reading {
	var out []reading
	for _, c := range t.get("tool_calls").list() {
		out = append(out, c.chatCall()...)
	}
	if f := t.get("function_call"); f.is(rawjson.Object) {
		out = append(out, reading{f.get("name").text(), argumentText(f.get("arguments").raw)})
	}
	return out
}

func (t tree) chatCall() []reading {
	if f := t.get("function"); f.is(rawjson.Object) {
		return []reading{{f.get("name").text(), argumentText(f.get("arguments").raw)}}
	}
	if c := t.get("custom"); c.is(rawjson.Object) {
		return []reading{{c.get("name").text(), argumentText(c.get("input").raw)}}
	}
	return nil
}
