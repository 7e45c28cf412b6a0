package docs_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callgate/callgate/internal/app"
	"github.com/callgate/callgate/internal/cli"
	engine "github.com/callgate/callgate/internal/review"
)

// runsAsCommand makes this binary the command that documents name.
const runsAsCommand = "CALLGATE_DOCS_TEST_RUNS_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(runsAsCommand) != "" {
		os.Exit(cli.Run(context.Background(), cli.Process(), os.Args[1:], app.NewServeCommand()))
	}
	os.Exit(m.Run())
}

// shell runs what a document shows, in a directory with this repository's files and the
// command on the PATH.
type shell struct {
	t             *testing.T
	dir           string
	port, health  string
	background    *exec.Cmd
	backgroundLog bytes.Buffer
}

func newShell(t *testing.T) *shell {
	t.Helper()
	root, _, _ := documents(t)
	s := &shell{t: t, dir: t.TempDir(), port: freePort(t), health: freePort(t)}
	for _, name := range []string{"config", "docs"} {
		if err := os.Symlink(filepath.Join(root, name), filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", runsAsCommand, self)
	if err := os.WriteFile(filepath.Join(s.dir, "callgate"), []byte(command), 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

// freePort is one that nothing listened on a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// run runs a script; one that ends with & runs on until the test ends. Ports are others
// than the documents have, for several tests run at once.
func (s *shell) run(script string) string {
	s.t.Helper()
	script = strings.ReplaceAll(script, "127.0.0.1:8443", "127.0.0.1:"+s.port)
	script = strings.ReplaceAll(script, "callgate serve ", "exec callgate serve --bind-address=127.0.0.1:"+s.port+" --health-bind-address=127.0.0.1:"+s.health+
		" --drain-lame=10ms --drain-closing=10ms --reload-interval=20ms --audit=off ")
	trimmed, stays := strings.CutSuffix(strings.TrimSpace(script), "&")
	c := exec.Command("bash", "-euo", "pipefail", "-c", trimmed)
	c.Dir = s.dir
	c.Env = append(os.Environ(), "PATH="+s.dir+":"+os.Getenv("PATH"), "LANG=C.UTF-8")
	if !stays {
		out, err := c.CombinedOutput()
		if err != nil {
			s.t.Fatalf("%s\n%v: %s\n%s", trimmed, err, out, &s.backgroundLog)
		}
		return string(out)
	}
	c.Stdout, c.Stderr = &s.backgroundLog, &s.backgroundLog
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.background = c
	s.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if err := c.Wait(); err != nil {
			s.t.Errorf("what was served ended with %v:\n%s", err, &s.backgroundLog)
		}
	})
	s.eventually("ready", func() bool { return strings.HasSuffix(s.readyz(), "\nok\n") })
	return ""
}

func (s *shell) readyz() string {
	response, err := http.Get("http://127.0.0.1:" + s.health + "/readyz?verbose")
	if err != nil {
		return ""
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}

func (s *shell) eventually(what string, holds func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); {
		if time.Now().After(deadline) {
			s.t.Fatalf("not %s in 30 s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// The commands of the document on serving, in its order.
func TestServingAsShown(t *testing.T) {
	_, _, blocks := documents(t)
	var scripts, texts []string
	for _, b := range blocks {
		switch {
		case filepath.Base(b.file) != "serve.md":
		case b.language == "sh":
			scripts = append(scripts, b.text)
		case b.language == "text":
			texts = append(texts, b.text)
		}
	}
	if len(scripts) != 4 || len(texts) != 1 {
		t.Fatalf("found %d scripts and %d texts, want 4 and 1", len(scripts), len(texts))
	}
	s := newShell(t)
	s.run(scripts[0])
	if answer := s.run(scripts[1]); !strings.Contains(answer, `"errors":["missing:city","type:days","unexpected:tz"]`) {
		t.Errorf("answered %s", answer)
	}
	s.run(scripts[2])
	s.eventually("loud", func() bool { return strings.Contains(s.readyz(), "NOT IN FORCE") })
	if diff := cmp.Diff(texts[0], masked(s.readyz())); diff != "" {
		t.Errorf("readiness says something else (-shown +real):\n%s", diff)
	}
	if hash := s.run(scripts[3]); !regexp.MustCompile(`^[0-9a-f]{64}\n$`).MatchString(hash) {
		t.Errorf("the hash of a token is %q", hash)
	}
}

// masked hides what is different every time.
func masked(text string) string {
	text = regexp.MustCompile(`sha256:[0-9a-f]{64}`).ReplaceAllString(text, "sha256:…")
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`).ReplaceAllString(text, "…")
}

// The file of identities that is shown is one, and the hash of a token is what the
// command makes.
func TestIdentitiesAsShown(t *testing.T) {
	_, _, blocks := documents(t)
	shownAt := slices.IndexFunc(blocks, func(b block) bool { return b.language == "yaml" && strings.HasPrefix(b.text, "identities:") })
	if shownAt < 0 {
		t.Fatal("no file of identities is shown")
	}
	s := newShell(t)
	hash := strings.TrimSpace(s.run("openssl rand -hex 32 > assistant-token; tr -d '\\n' < assistant-token | sha256sum | cut -d ' ' -f 1"))
	text := regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(blocks[shownAt].text, hash)
	if err := os.WriteFile(filepath.Join(s.dir, "identities.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("callgate serve -f config/samples --identities identities.yaml --insecure-http &")
	for token, want := range map[string]string{
		"$(cat assistant-token)": "200", "a-token-of-16-characters-or-more": "200", "a-token-of-16-characters-or-less": "401",
	} {
		status := s.run(`curl --silent --output answer --write-out '%{http_code}' --header "Authorization: Bearer ` + token + `" \
			--header "Content-Type: application/json" --data @docs/examples/review.json http://127.0.0.1:8443/apis/review.callgate.dev/v1alpha1/toolcallreviews`)
		if status != want {
			t.Errorf("the token %s is answered %s, want %s", token, status, want)
		}
	}
}

// Every flag that the document names is one.
func TestFlagsOfServeAreReal(t *testing.T) {
	root, _, _ := documents(t)
	flags := app.NewServeCommand().Flags()
	names := regexp.MustCompile("--([a-z][a-z-]+)").FindAllStringSubmatch(read(t, filepath.Join(root, "docs", "serve.md")), -1)
	curl := []string{"silent", "show-error", "cacert", "header", "data"}
	for _, m := range names {
		if flags.Lookup(m[1]) == nil && !slices.Contains(curl, m[1]) {
			t.Errorf("--%s is no flag of serve", m[1])
		}
	}
	if len(names) < 20 {
		t.Errorf("found %d flags: the search is broken", len(names))
	}
}

// What the document on reviewing shows of an explanation is what the command prints, and
// its table names every member.
func TestExplanationAsShown(t *testing.T) {
	root, _, blocks := documents(t)
	printAsShown(t, root, commandsShown(t, root, blocks, "docs/review.md"), cli.ExitBlocked)
	text := read(t, filepath.Join(root, "docs", "review.md"))
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			f := of.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`"+name+"[]`") && !strings.Contains(text, "."+name) {
				t.Errorf("the document says nothing of %s.%s", of.Name(), name)
			}
			look(f.Type)
		}
	}
	look(reflect.TypeFor[engine.Trace]())
}
