package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/callgate/callgate/internal/cli"
)

// The workflow and the hooks that are shown are the files of the examples, and what they
// run passes on the samples.
func TestContinuousIntegrationShown(t *testing.T) {
	root, _, blocks := documents(t)
	shown := func(example string) []byte {
		text := read(t, filepath.Join(root, "docs", "examples", example))
		for _, b := range blocks {
			if filepath.Base(b.file) == "command-line.md" && b.text == text {
				return []byte(text)
			}
		}
		t.Fatalf("docs/command-line.md does not show docs/examples/%s as it is", example)
		return nil
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Run string `json:"run"`
			} `json:"steps"`
		} `json:"jobs"`
	}
	if err := yaml.Unmarshal(shown("github-workflow.yaml"), &workflow); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if arguments, ours := strings.CutPrefix(step.Run, "callgate "); ours {
				ran++
				passes(t, root, strings.Fields(arguments))
			}
		}
	}
	if ran != 2 {
		t.Errorf("ran %d commands of the workflow, want 2", ran)
	}
	hooks(t, root, shown("pre-commit-config.yaml"))
}

// hooks runs what the configuration of pre-commit runs, by the hooks that this repository
// has.
func hooks(t *testing.T, root string, config []byte) {
	t.Helper()
	var used struct {
		Repos []struct {
			Hooks []struct {
				ID   string   `json:"id"`
				Args []string `json:"args"`
			} `json:"hooks"`
		} `json:"repos"`
	}
	var defined []struct {
		ID    string `json:"id"`
		Entry string `json:"entry"`
	}
	if err := yaml.Unmarshal(config, &used); err != nil || len(used.Repos) != 1 {
		t.Fatalf("reading the configuration: %v", err)
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, ".pre-commit-hooks.yaml"))), &defined); err != nil {
		t.Fatal(err)
	}
	entries := map[string]string{}
	for _, h := range defined {
		entries[h.ID] = h.Entry
	}
	for _, h := range used.Repos[0].Hooks {
		arguments, ours := strings.CutPrefix(entries[h.ID], "callgate ")
		if !ours {
			t.Errorf("there is no hook %s", h.ID)
			continue
		}
		passes(t, root, append(strings.Fields(arguments), h.Args...))
	}
}

func passes(t *testing.T, root string, arguments []string) {
	t.Helper()
	for i := range arguments {
		arguments[i] = strings.ReplaceAll(arguments[i], "policies/", "config/samples/")
	}
	if out, code := review(t, root, arguments...); code != cli.ExitOK {
		t.Errorf("callgate %s: exit code %d\n%s", strings.Join(arguments, " "), code, out)
	}
}

// As kubectl-callgate the binary speaks of itself as kubectl callgate.
func TestPluginOfKubectl(t *testing.T) {
	root, _, _ := documents(t)
	dir := t.TempDir()
	binary := filepath.Join(dir, "callgate")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/callgate")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	link := filepath.Join(dir, "kubectl-callgate")
	if err := os.Symlink(binary, link); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), link, "test", "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "kubectl callgate test") {
		t.Errorf("%v\n%s", err, out)
	}
	script, err := exec.CommandContext(t.Context(), binary, "completion", "bash").Output()
	if err != nil {
		t.Fatal(err)
	}
	sourced := exec.CommandContext(t.Context(), "bash", "-c", string(script)+"\ntype -t __start_callgate")
	if out, err := sourced.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "function" {
		t.Errorf("the completion script of bash does not load: %v\n%s", err, out)
	}
}
