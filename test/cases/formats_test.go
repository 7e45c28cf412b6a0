package cases_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
	"github.com/callgate/callgate/test/cases"
)

// quote writes a string as JSON.
func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// shape writes one call in one wire shape. name and arguments are JSON texts of
// their own; arguments are "" where the call has none.
type shape struct {
	format string
	// text: the shape carries arguments as text, so that it can hold what is no JSON.
	text bool
	// objects: the shape takes an object in place of text, but nothing else.
	objects bool
	wrap    string
}

func (s shape) write(name, arguments string) string {
	if arguments != "" {
		if s.text {
			arguments = quote(arguments)
		}
		arguments = "," + strings.SplitN(s.wrap, "|", 2)[0] + ":" + arguments
	}
	return fmt.Sprintf(strings.SplitN(s.wrap, "|", 2)[1], quote(name)+arguments)
}

// shapes are the ways to write a call: before the bar the key of its arguments,
// behind it what stands around name and arguments.
var shapes = map[string]shape{
	"native":          {format: "Native", wrap: `"arguments"|{"id":"1","name":%s}`},
	"native text":     {format: "Native", text: true, wrap: `"argumentsText"|{"id":"1","name":%s}`},
	"chat":            {format: "OpenAIChat", text: true, wrap: `"arguments"|{"id":"1","type":"function","function":{"name":%s}}`},
	"chat message":    {format: "OpenAIChat", text: true, wrap: `"arguments"|{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":%s}}]}`},
	"chat response":   {format: "OpenAIChat", text: true, wrap: `"arguments"|{"choices":[{"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"1","function":{"name":%s}}]}}]}`},
	"chat legacy":     {format: "OpenAIChat", text: true, wrap: `"arguments"|{"role":"assistant","function_call":{"name":%s}}`},
	"Ollama":          {format: "OpenAIChat", objects: true, wrap: `"arguments"|{"message":{"role":"assistant","tool_calls":[{"function":{"name":%s}}]}}`},
	"Responses item":  {format: "OpenAIResponses", text: true, wrap: `"arguments"|{"type":"function_call","call_id":"1","name":%s}`},
	"Responses":       {format: "OpenAIResponses", text: true, wrap: `"arguments"|{"status":"completed","output":[{"type":"function_call","call_id":"1","name":%s}]}`},
	"Anthropic block": {format: "Anthropic", wrap: `"input"|{"type":"tool_use","id":"1","name":%s}`},
	"Anthropic":       {format: "Anthropic", wrap: `"input"|{"type":"message","role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":%s}]}`},
	"Gemini part":     {format: "Gemini", wrap: `"args"|{"functionCall":{"id":"1","name":%s}}`},
	"Gemini":          {format: "Gemini", wrap: `"args"|{"candidates":[{"content":{"parts":[{"function_call":{"id":"1","name":%s}}]}}]}`},
	"Bedrock block":   {format: "Bedrock", wrap: `"input"|{"toolUse":{"toolUseId":"1","name":%s}}`},
	"Bedrock":         {format: "Bedrock", wrap: `"input"|{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":%s}}]}},"stopReason":"tool_use"}`},
	"MCP":             {format: "MCP", wrap: `"arguments"|{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":%s}}`},
	"MCP batch":       {format: "MCP", wrap: `"arguments"|[{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":%s}}]`},
}

// world is a policy set in which every tool may be called.
type world struct{ lexical, byValue *snapshot.Snapshot }

func newWorld(schemas map[string]string) world {
	build := func(rules callgatev1alpha1.ArgumentRules) *snapshot.Snapshot {
		var in compile.Input
		for name, parameters := range schemas {
			s := &callgatev1alpha1.ToolSchema{}
			s.Namespace, s.Name, s.Spec.ToolName = "team", strings.ReplaceAll(name, "/", "-"), name
			s.Spec.Parameters, s.Spec.Arguments = &apiextensionsv1.JSON{Raw: []byte(parameters)}, rules
			in.Schemas = append(in.Schemas, s)
		}
		p := &callgatev1alpha1.ToolPolicy{}
		p.Namespace, p.Name = "team", "policy"
		p.Spec.Subjects.ServiceAccountNames = []callgatev1alpha1.ServiceAccountName{cases.ServiceAccount}
		p.Spec.DeclaredTools = []callgatev1alpha1.EffectiveToolName{callgatev1alpha1.AnyTool}
		in.Policies = append(in.Policies, p)
		return snapshot.New(compile.Compile(in, nil))
	}
	return world{
		lexical: build(callgatev1alpha1.ArgumentRules{}),
		byValue: build(callgatev1alpha1.ArgumentRules{Integers: callgatev1alpha1.IntegersValue}),
	}
}

func judge(t *testing.T, snap *snapshot.Snapshot, format, message string) (reviewv1alpha1.ToolCallResult, toolcall.Review) {
	t.Helper()
	request := fmt.Sprintf(`"message":{"format":%q,"body":%s}`, format, message)
	if format == "Native" {
		request = `"calls":[` + message + `]`
	}
	in, err := toolcall.DecodeReview(fmt.Appendf(nil, `{"apiVersion":%q,"kind":"ToolCallReview","request":{%s}}`, toolcall.APIVersion, request))
	if err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	caller := review.Caller{Kind: review.ServiceAccount, Namespace: "team", Name: cases.ServiceAccount}
	got := review.Calls(snap, caller, in, nil).Response
	if len(got.Results) != 1 {
		t.Fatalf("%s: %d results", message, len(got.Results))
	}
	r := got.Results[0]
	r.ID = "" // some shapes have none
	return r, in
}

var crossSchemas = map[string]string{
	"forecast": `{"type":"object","properties":{"city":{"type":"string","minLength":2},"days":{"type":"integer","maximum":9007199254740993},"ratio":{"type":"number","multipleOf":0.01},"units":{"enum":["c","f",1]}},"required":["city"]}`,
	"nested":   `{"type":"object","properties":{"items":{"type":"array","maxItems":2,"items":{"type":"object","properties":{"sku":{"type":"string"},"n":{"type":"integer"}},"required":["sku"],"additionalProperties":false}},"opts":{"anyOf":[{"type":"null"},{"type":"object","properties":{"deep":{"type":"boolean"}}}]}}}`,
	"open":     `{"type":"object","additionalProperties":true}`,
	"nothing":  `{"type":"object","properties":{}}`,
	"s/scoped": `{"type":"object","properties":{"q":{"type":"string"}}}`,
}

// generator writes arguments that fit the schemas in places.
type generator struct{ random *rand.Rand }

func pick[T any](g generator, list ...T) T { return list[g.random.IntN(len(list))] }

func (g generator) scalar() string {
	return pick(g, `"Oslo"`, `"x"`, `""`, `"\u00e9\ud83d\ude00"`, `"\ud800"`, `"null"`, `"{}"`, `3`, `3.0`, `1e3`, `-0`, `19.99`, `0.015`,
		`9007199254740993`, `9007199254740993.0`, `1e400`, `true`, `false`, `null`, `"c"`, `"3"`)
}

func (g generator) value(depth int) string {
	switch n := g.random.IntN(10); {
	case depth > 3 || n < 7:
		return g.scalar()
	case n == 7:
		return `[` + g.value(depth+1) + `,` + g.value(depth+1) + `]`
	default:
		return g.object(depth + 1)
	}
}

func (g generator) object(depth int) string {
	var members []string
	for range g.random.IntN(4) {
		key := pick(g, "city", "days", "ratio", "units", "items", "opts", "sku", "n", "deep", "q", "City", "name", "arguments", "input", "type", "id", "__proto__", `a\"b`)
		members = append(members, `"`+key+`": `+g.value(depth))
	}
	return `{` + strings.Join(members, ", ") + `}`
}

// arguments are mostly an object, else another value, no JSON, or none.
func (g generator) arguments() string {
	switch g.random.IntN(12) {
	case 0:
		return g.scalar()
	case 1:
		return pick(g, `[]`, `[{"city":"Oslo"}]`, `{"city":`, `{"city":"Oslo"}{}`, `{'city':1}`, `NaN`, "how do I?", `{"a":01}`)
	case 2:
		return pick(g, ``, `null`)
	case 3:
		return `{"items":` + strings.Repeat(`[`, 130) + strings.Repeat(`]`, 130) + `}`
	}
	return g.object(0)
}

func isJSON(text string) bool { return json.Valid([]byte(text)) }

// One call gives one verdict, whatever shape it comes in. What differs is listed
// here: Gemini's integers are judged by value, and only a provider's absent
// arguments count as {}.
func TestOneCallOneVerdict(t *testing.T) {
	w := newWorld(crossSchemas)
	g := generator{rand.New(rand.NewPCG(7, 8))}
	names := []string{"forecast", "nested", "open", "nothing", "s/scoped", "Forecast", "default_api.forecast", "", "nested\n", "naïve", "\u202eopen"}
	blocked, allowed := 0, 0
	for range 600 {
		name, arguments := pick(g, names...), g.arguments()
		if g.random.IntN(3) > 0 {
			name = pick(g, names[:5]...)
		}
		for label, s := range shapes {
			if !s.canWrite(arguments) {
				continue
			}
			snap := w.lexical
			if s.format == "Gemini" {
				snap = w.byValue
			}
			message := s.write(name, arguments)
			got, in := judge(t, w.lexical, s.format, message)
			want := s.want(t, snap, name, arguments)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: %s\n(-native +%s)\n%s", label, message, label, diff)
			}
			if format, ok := toolcall.SniffMessage([]byte(message)); s.format != "Native" && (!ok || format != in.Format) {
				t.Errorf("%s: Auto takes %s for %q", label, message, format)
			}
			if got.Allowed {
				allowed++
			} else {
				blocked++
			}
		}
	}
	if allowed < 1000 || blocked < 3000 {
		t.Errorf("%d allowed, %d blocked: the generator is one-sided", allowed, blocked)
	}
}

// canWrite says whether the shape can carry the arguments at all.
func (s shape) canWrite(arguments string) bool {
	if s.objects {
		return arguments == "" || isJSON(arguments) && arguments[0] == '{'
	}
	return s.text || arguments == "" || isJSON(arguments)
}

// want is the verdict on the same call in the native shape.
func (s shape) want(t *testing.T, snap *snapshot.Snapshot, name, arguments string) reviewv1alpha1.ToolCallResult {
	t.Helper()
	empty := arguments == "" || arguments == "null"
	if s.format != "Native" && empty {
		want, _ := judge(t, snap, "Native", shapes["native"].write(name, "{}"))
		want.Warnings = []string{toolcall.WarnEmpty}
		return want
	}
	if isJSON(arguments) {
		want, _ := judge(t, snap, "Native", shapes["native"].write(name, arguments))
		return want
	}
	if arguments == "" {
		want, _ := judge(t, snap, "Native", shapes["native"].write(name, ""))
		return want
	}
	want, _ := judge(t, snap, "Native", shapes["native text"].write(name, arguments))
	return want
}

// A call that names a server is the tool server/name, and no other, in each shape
// that can name one.
func TestServersAreOneInAllFormats(t *testing.T) {
	w := newWorld(map[string]string{"s/scoped": `{"type":"object","properties":{"q":{"type":"string"}}}`, "scoped": `{"type":"object"}`})
	for _, arguments := range []string{`{}`, `{"q":"x"}`, `{"q":1}`, `{"r":1}`} {
		want, _ := judge(t, w.lexical, "Native", `{"server":"s","name":"scoped","arguments":`+arguments+`}`)
		for format, message := range map[string]string{
			"Native":          `{"name":"s/scoped","arguments":` + arguments + `}`,
			"OpenAIChat":      `{"namespace":"s","function":{"name":"scoped","arguments":` + quote(arguments) + `}}`,
			"OpenAIResponses": `{"type":"function_call","namespace":"s","name":"scoped","arguments":` + quote(arguments) + `}`,
			"Anthropic":       `{"type":"tool_use","name":"s/scoped","input":` + arguments + `}`,
		} {
			got, _ := judge(t, w.lexical, format, message)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: %s", format, arguments, diff)
			}
		}
	}
}

// Free text is one JSON string against the schema, in both shapes that have it.
func TestFreeTextIsOneInAllFormats(t *testing.T) {
	w := newWorld(map[string]string{"script": `{"type":"string","pattern":"^get "}`, "object": `{"type":"object"}`})
	for _, tc := range []struct {
		tool, input string
		errors      []string
	}{
		{"script", "get pods", []string{}},
		{"script", "delete pods", []string{"pattern:"}},
		{"script", "null", []string{"pattern:"}},
		{"object", "{}", []string{"arguments:not_an_object"}},
		{"object", "", []string{"arguments:not_an_object"}},
	} {
		chat, _ := judge(t, w.lexical, "OpenAIChat", fmt.Sprintf(`{"type":"custom","custom":{"name":%q,"input":%s}}`, tc.tool, quote(tc.input)))
		responses, _ := judge(t, w.lexical, "OpenAIResponses", fmt.Sprintf(`{"type":"custom_tool_call","name":%q,"input":%s}`, tc.tool, quote(tc.input)))
		if diff := cmp.Diff(chat, responses); diff != "" {
			t.Errorf("%s %q: %s", tc.tool, tc.input, diff)
		}
		if !slices.Equal(chat.Errors, tc.errors) {
			t.Errorf("%s %q: errors %q, want %q", tc.tool, tc.input, chat.Errors, tc.errors)
		}
	}
}
