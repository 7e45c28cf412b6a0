package jsonschema

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// catalogueTool is one tool of testdata/catalogues, or one schema of testdata/pydantic.
type catalogueTool struct {
	Name        string
	InputSchema json.RawMessage
	dialect     Dialect
}

// readCatalogues gives the tools as MCP has them: without $schema, of 2020-12.
func readCatalogues(t testing.TB) []catalogueTool {
	t.Helper()
	var tools []catalogueTool
	for _, name := range []string{"github", "kubernetes"} {
		text, err := os.ReadFile(filepath.Join("testdata/catalogues", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Result struct{ Tools []catalogueTool }
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(name, err)
		}
		if len(list.Result.Tools) < 40 {
			t.Fatalf("%s has %d tools", name, len(list.Result.Tools))
		}
		for _, tool := range list.Result.Tools {
			tool.dialect = Draft2020
			tools = append(tools, tool)
		}
	}
	return tools
}

// callsPerTool are generated for each tool and each setting.
const callsPerTool = 24

// catalogueRun judges generated calls of one tool.
type catalogueRun struct {
	*rand.Rand
	tool             catalogueTool
	allowed, refused int
	handedOver       int
}

func (r *catalogueRun) judge(t *testing.T, undeclared Undeclared) {
	t.Helper()
	opts := Options{Dialect: r.tool.dialect, Undeclared: undeclared}
	c, problems, _ := Compile(r.tool.InputSchema, opts)
	if c == nil {
		t.Fatalf("%s: %v", r.tool.Name, problems)
	}
	if c.planned == nil {
		r.handedOver++
	}
	plain := newTrial(r.tool.InputSchema, r.tool.dialect, opts)
	if plain == nil || plain.library == nil {
		t.Fatalf("%s: the library does not compile it", r.tool.Name)
	}
	d := &differential{Rand: r.Rand, explained: map[string]int{}}
	values := newInstanceGenerator(r.Rand, r.tool.InputSchema)
	for i := range callsPerTool {
		valid, raw := i%2 == 0, []byte(nil)
		if valid {
			values.wrongs = []int{0, 0, 10}
			raw = r.fitting(values, c)
		} else {
			values.wrongs = []int{30, 100, 300}
			raw = bytes.Clone(values.next(true))
		}
		r.checkCall(t, c, raw, valid)
		for range 4 { // once for each of its turns
			if found := d.execute(plain, raw); found != nil {
				t.Fatalf("%s: %v", r.tool.Name, found)
			}
		}
	}
}

// fitting gives a call that the reference allows.
func (r *catalogueRun) fitting(values *instanceGenerator, c *Compiled) []byte {
	for range 200 {
		if raw := values.next(true); c.Reference().Judge(Input{Raw: raw}).OK() {
			return bytes.Clone(raw)
		}
	}
	return nil
}

func (r *catalogueRun) checkCall(t *testing.T, c *Compiled, raw []byte, valid bool) {
	t.Helper()
	if raw == nil {
		t.Fatalf("%s: no call was generated that fits", r.tool.Name)
	}
	res := judgeInput(t, c, Input{Raw: raw})
	if valid && !res.OK() {
		t.Fatalf("%s: %s: %q %s", r.tool.Name, raw, errorsOf(res), res.Fault)
	}
	if res.OK() {
		r.allowed++
	} else {
		r.refused++
	}
	if res.Fault == NoFault && !judgedByEngine(c, raw, false) {
		r.handedOver++
	}
}

// wantWhole is how many of the tools in a hundred the engine has to judge wholly.
const wantWhole = 95

// TestCatalogues states that the engine judges nearly every tool of real catalogues, and
// all schemas as pydantic writes them, without handing a call over to the reference; and
// that engine, reference and library agree on generated calls.
func TestCatalogues(t *testing.T) {
	tools := readCatalogues(t)
	for _, m := range readPydantic(t) {
		tools = append(tools, catalogueTool{"pydantic " + m.name, m.Schema, m.Dialect})
	}
	for name, undeclared := range undeclaredSettings {
		whole, allowed, refused := 0, 0, 0
		for i, tool := range tools {
			r := &catalogueRun{Rand: newRandom(5, uint64(i)), tool: tool}
			r.judge(t, undeclared)
			allowed, refused = allowed+r.allowed, refused+r.refused
			if r.handedOver == 0 {
				whole++
			} else {
				t.Logf("%s, %s: the engine hands over", name, tool.Name)
			}
		}
		t.Logf("%s: %d of %d schemas are judged by the engine alone; %d calls allowed, %d refused", name, whole, len(tools), allowed, refused)
		if whole*100 < wantWhole*len(tools) {
			t.Errorf("%s: %d of %d schemas are judged by the engine alone, want %d %%", name, whole, len(tools), wantWhole)
		}
		if refused < 4*len(tools) {
			t.Errorf("%s: only %d calls are refused", name, refused)
		}
	}
}
