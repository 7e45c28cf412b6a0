package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// However files are changed, what they hold then is in force soon.
func TestServeReloads(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after func(e *endpointUnderTest)
	}{
		"a write in place": {nil, func(e *endpointUnderTest) { e.write("policies/a.yaml", policy("second")) }},
		"a rename over it": {nil, func(e *endpointUnderTest) {
			e.write("policies/.a.yaml.swp", policy("second"))
			e.rename("policies/.a.yaml.swp", "policies/a.yaml")
		}},
		"an editor that keeps the old file": {nil, func(e *endpointUnderTest) {
			e.rename("policies/a.yaml", "policies/a.yaml~")
			e.write("policies/a.yaml", policy("second"))
		}},
		"another file": {nil, func(e *endpointUnderTest) {
			if err := os.Remove(e.path("policies/a.yaml")); err != nil {
				e.t.Fatal(err)
			}
			e.write("policies/sub/b.json", `{"apiVersion":"callgate.dev/v1alpha1","kind":"ToolPolicy","metadata":{"name":"b","namespace":"support"},
				"spec":{"subjects":{"serviceAccountNames":["*"]},"declaredTools":["second"],"unvalidatedCalls":"Allow"}}`)
		}},
		"another directory": {nil, func(e *endpointUnderTest) {
			e.write("next/a.yaml", policy("second"))
			e.rename("policies", "previous")
			e.rename("next", "policies")
		}},
		"a mounted ConfigMap": {func(e *endpointUnderTest) { e.volume("..1", "first") }, func(e *endpointUnderTest) { e.volume("..2", "second") }},
	} {
		t.Run(name, func(t *testing.T) {
			e := serveDir(t, map[string]string{"policies/a.yaml": policy("first")})
			if tc.before != nil {
				tc.before(e)
			}
			e.eventually("judged by the first file", func() bool { return e.code("first") == "ok" && e.code("second") == "unknown_tool" })
			tc.after(e)
			e.eventually("judged by the second file", func() bool { return e.code("second") == "ok" })
			if code := e.code("first"); code != "unknown_tool" {
				t.Errorf("the first file is still in force: %s", code)
			}
		})
	}
}

func (e *endpointUnderTest) rename(from, to string) {
	e.t.Helper()
	if err := os.Rename(e.path(from), e.path(to)); err != nil {
		e.t.Fatal(err)
	}
}

// volume mounts a ConfigMap in place of the file a.yaml, or a new version of it.
func (e *endpointUnderTest) volume(version, tool string) {
	e.t.Helper()
	link := func(target, name string) {
		if err := os.Symlink(target, e.path(name)+".new"); err != nil {
			e.t.Fatal(err)
		}
		e.rename(name+".new", name)
	}
	e.write(filepath.Join("policies", version, "a.yaml"), policy(tool))
	link(version, "policies/..data")
	if info, err := os.Lstat(e.path("policies/a.yaml")); err != nil || info.Mode().IsRegular() {
		link("..data/a.yaml", "policies/a.yaml")
	}
}

// What cannot be used changes nothing, and is told loudly until it is mended.
func TestServeKeepsTheLastGoodSet(t *testing.T) {
	e := serveDir(t, map[string]string{"policies/a.yaml": policy("first"), "policies/b.yaml": strings.Replace(policy("other"), "name: assistant", "name: b", 1)})
	wanted := e.code("first")
	for name, broken := range map[string]string{
		"no YAML":           "apiVersion: [",
		"an unknown field":  policy("second") + "  tools: [x]\n",
		"a bad value":       strings.Replace(policy("second"), "Allow", "Perhaps", 1),
		"the same twice":    policy("second") + "---\n" + policy("third"),
		"half of the file":  policy("second")[:90],
		"another's API":     strings.Replace(policy("second"), "v1alpha1", "v9", 1),
		"bytes that are no": "\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			e.write("policies/a.yaml", broken)
			e.eventually("loud", func() bool { return strings.Contains(e.verbose(), "policy files: CHANGED AND NOT IN FORCE") })
			if text := e.verbose(); !strings.Contains(text, "policies/a.yaml") || e.readyz() != http.StatusOK {
				t.Errorf("readiness %d does not say where:\n%s", e.readyz(), text)
			}
			if !strings.Contains(e.log.String(), "NOTHING OF THE CHANGE IS IN FORCE") || !strings.Contains(e.log.String(), "policies/a.yaml") {
				t.Errorf("the log does not say it:\n%s", e.log)
			}
			if code := e.code("first"); code != wanted {
				t.Errorf("code %s, want %s", code, wanted)
			}
			e.write("policies/a.yaml", policy("first"))
			e.eventually("quiet again", func() bool { return !strings.Contains(e.verbose(), "NOT IN FORCE") })
		})
	}
	e.write("policies/a.yaml", policy("first, second"))
	e.write("policies/b.yaml", strings.Replace(policy("second"), "name: assistant", "name: b", 1))
	e.eventually("in force", func() bool { return e.code("second") == "ok" })
}

const badSchema = `---
apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: first, namespace: support}
spec: {parameters: {type: nonsense}}
`

// What a cluster would store and not put in force blocks here too, or is refused with
// --strict.
func TestServeStrict(t *testing.T) {
	e := serveDir(t, map[string]string{"policies/a.yaml": policy("first")})
	e.write("policies/a.yaml", policy("first")+badSchema)
	e.eventually("in force", func() bool { return e.code("first") == "schema_not_ready" })
	if !strings.Contains(e.log.String(), "Not in force as it is written") {
		t.Errorf("the log does not say so:\n%s", e.log)
	}

	e = serveDir(t, map[string]string{"policies/a.yaml": policy("first")}, func(_ string, o *ServeOptions) { o.Strict = true })
	e.write("policies/a.yaml", policy("first, second")+badSchema)
	e.eventually("loud", func() bool { return strings.Contains(e.verbose(), "NOT IN FORCE") })
	if first, second := e.code("first"), e.code("second"); first != "ok" || second != "unknown_tool" {
		t.Errorf("codes %s and %s, want ok and unknown_tool", first, second)
	}
}

// Nothing is served without a whole set.
func TestServeNeedsAWholeSetToStart(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing":      {"policies/readme.txt": "x"},
		"a broken one": {"policies/a.yaml": policy("first"), "policies/b.yaml": "kind: ["},
	} {
		t.Run(name, func(t *testing.T) {
			e := &endpointUnderTest{t: t, dir: t.TempDir(), log: &buffer{}}
			for file, text := range files {
				e.write(file, text)
			}
			if err := Serve(t.Context(), e.options()); err == nil || !strings.Contains(err.Error(), "policies") {
				t.Errorf("served, or failed without saying where: %v", err)
			}
			if _, err := os.Stat(e.path("token")); err == nil {
				t.Error("a token was issued")
			}
		})
	}
}
