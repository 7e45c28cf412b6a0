package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/callgate/callgate/internal/testenv"
)

// failure is what ends the demo: something was not as told.
type failure string

func (f failure) Error() string { return string(f) }

// stage is what the scenes share: the control plane, the manager, the audience.
type stage struct {
	out  io.Writer
	bold bool
	root string
	dir  string

	env        *testenv.Env
	kubectlBin string
	kubeconfig string
	manager    *exec.Cmd
	log        *bytes.Buffer
	exited     chan error
	url        string
	health     string
	scene      int
	cleanups   []func()
}

func newStage(out *os.File) *stage {
	info, err := out.Stat()
	s := &stage{out: out, bold: err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""}
	s.root = must(testenv.ModuleRoot())
	s.dir = must(os.MkdirTemp("", "callgate-demo-"))
	s.Cleanup(func() { _ = os.RemoveAll(s.dir) })
	return s
}

// close ends the manager and the control plane if a scene did not.
func (s *stage) close() error {
	var err error
	if s.manager != nil {
		_ = s.manager.Process.Kill()
		<-s.exited
		err = fmt.Errorf("the manager was still running; its log:\n%s", s.log)
	}
	for i := len(s.cleanups) - 1; i >= 0; i-- {
		s.cleanups[i]()
	}
	return err
}

func (s *stage) title(text string) {
	s.scene++
	line := fmt.Sprintf("%d. %s", s.scene, text)
	if s.bold {
		line = "\x1b[1m" + line + "\x1b[0m"
	}
	fmt.Fprintf(s.out, "\n%s\n", line)
}

func (s *stage) say(format string, args ...any) {
	fmt.Fprintf(s.out, "   "+format+"\n", args...)
}

// show prints a command's output, set off from the story.
func (s *stage) show(text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		fmt.Fprintf(s.out, "   | %s", line)
	}
}

func (s *stage) fail(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if s.log != nil && s.log.Len() > 0 {
		message += "\nthe manager's log:\n" + s.log.String()
	}
	panic(failure(message))
}

// Helper, Fatalf, Logf, Cleanup and TempDir make a stage a harness.TB.
func (s *stage) Helper() {}

// Fatalf ends the demo.
func (s *stage) Fatalf(format string, args ...any) { s.fail(format, args...) }

// Logf tells the audience.
func (s *stage) Logf(format string, args ...any) { s.say(format, args...) }

// TempDir is the demo's own directory.
func (s *stage) TempDir() string { return s.dir }

// Cleanup has f called when the demo ends.
func (s *stage) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func must[T any](value T, err error) T {
	if err != nil {
		panic(failure(err.Error()))
	}
	return value
}

// quiet runs kubectl and gives what it printed, standard error included.
func (s *stage) quiet(args ...string) (string, error) {
	cmd := exec.Command(s.kubectlBin, append([]string{"--kubeconfig", s.kubeconfig}, args...)...)
	cmd.Dir = s.root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// kubectl runs kubectl before the audience and gives what it printed.
func (s *stage) kubectl(args ...string) string {
	fmt.Fprintf(s.out, "   $ kubectl %s\n", strings.Join(args, " "))
	out, err := s.quiet(args...)
	s.show(out)
	if err != nil {
		s.fail("kubectl %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// answer is what curl got.
type answer struct {
	status int
	body   []byte
}

const reviews = "/apis/review.callgate.dev/v1alpha1/toolcallreviews"

// curl sends a file from hack/demo/files to the endpoint before the audience. token is
// the name of a file in the demo's own directory, or "".
func (s *stage) curl(file, token string) answer {
	shown := "curl --cacert ca.crt -H 'Content-Type: application/json'"
	if token != "" {
		shown += fmt.Sprintf(" -H \"Authorization: Bearer $(cat %s)\"", token)
	}
	fmt.Fprintf(s.out, "   $ %s \\\n       --data @%s \\\n       https://callgate.callgate-system.svc%s\n", shown, file, reviews)
	return s.ask(file, token)
}

// ask is curl without an audience.
func (s *stage) ask(file, token string) answer {
	return s.post(reviews, filepath.Join("hack/demo/files", file), token)
}

// post sends a file to a path of the endpoint.
func (s *stage) post(path, file, token string) answer {
	args := []string{"--silent", "--show-error", "--max-time", "10", "--cacert", filepath.Join(s.dir, "tls.crt"),
		"--header", "Content-Type: application/json", "--data", "@" + file,
		"--write-out", "\n%{http_code}"}
	if token != "" {
		// curl reads the header from a file, so that the token is in no process list.
		header := filepath.Join(s.dir, token+".header")
		text := "Authorization: Bearer " + strings.TrimSpace(string(must(os.ReadFile(filepath.Join(s.dir, token)))))
		if err := os.WriteFile(header, []byte(text), 0o600); err != nil {
			s.fail("writing %s: %v", header, err)
		}
		args = append(args, "--header", "@"+header)
	}
	cmd := exec.Command("curl", append(args, s.url+path)...)
	cmd.Dir = s.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.fail("curl: %v: %s", err, out)
	}
	at := bytes.LastIndexByte(out, '\n')
	var status int
	if _, err := fmt.Sscan(string(out[at+1:]), &status); err != nil {
		s.fail("curl printed no status: %s", out)
	}
	return answer{status: status, body: out[:at]}
}

// pretty prints an answer in lines, with short lists on one.
func (s *stage) pretty(a answer) {
	var out bytes.Buffer
	if err := json.Indent(&out, a.body, "", "  "); err != nil {
		s.fail("the answer is no JSON: %v: %s", err, a.body)
	}
	s.say("HTTP %d", a.status)
	s.show(out.String())
}

// eventually tries until done or the time is up.
func (s *stage) eventually(what string, limit time.Duration, done func() bool) {
	for deadline := time.Now().Add(limit); !done(); {
		if time.Now().After(deadline) {
			s.fail("%s: not within %v", what, limit)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
