package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for what must come, on a machine that is busy.
const patience = 20 * time.Second

// buffer is a log that may be read while it is written.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// endpointUnderTest is an endpoint from files that runs in this process.
type endpointUnderTest struct {
	t      *testing.T
	dir    string
	log    *buffer
	client *http.Client
	scheme string
	Addresses
	signals chan os.Signal
	done    chan error
	ended   error
}

// serveDir serves the directory policies below a temporary one, that has the files.
func serveDir(t *testing.T, files map[string]string, change ...func(dir string, o *ServeOptions)) *endpointUnderTest {
	t.Helper()
	e := &endpointUnderTest{t: t, dir: t.TempDir(), log: &buffer{}, scheme: "https", signals: make(chan os.Signal, 2), done: make(chan error, 1)}
	for name, text := range files {
		e.write(name, text)
	}
	opts := e.options()
	for _, f := range change {
		f(e.dir, &opts)
	}
	listening := make(chan Addresses, 1)
	opts.OnListen = func(a Addresses) { listening <- a }
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() { e.done <- Serve(ctx, opts) }()
	select {
	case e.Addresses = <-listening:
	case err := <-e.done:
		cancel()
		t.Fatalf("serving: %v\n%s", err, e.log)
	case <-time.After(patience):
		cancel()
		t.Fatalf("nothing listens:\n%s", e.log)
	}
	e.client = e.newClient(opts)
	t.Cleanup(func() {
		e.client.CloseIdleConnections()
		cancel()
		if e.done != nil {
			e.wait()
		}
	})
	e.eventually("ready", func() bool { return e.readyz() == http.StatusOK })
	return e
}

func (e *endpointUnderTest) options() ServeOptions {
	opts := DefaultServeOptions()
	opts.Files = []string{filepath.Join(e.dir, "policies")}
	opts.BindAddress, opts.HealthBindAddress = "127.0.0.1:0", "127.0.0.1:0"
	opts.IssueTokens = []string{"support/assistant=" + filepath.Join(e.dir, "token")}
	opts.SelfSigned, opts.CAFile = true, filepath.Join(e.dir, "ca.crt")
	opts.ReloadInterval = 10 * time.Millisecond
	opts.DrainLame, opts.DrainClosing = 50*time.Millisecond, 50*time.Millisecond
	opts.Audit.Mode = auditOff
	opts.Log, opts.Signals = e.log, e.signals
	return opts
}

func (e *endpointUnderTest) newClient(opts ServeOptions) *http.Client {
	if opts.InsecureHTTP {
		e.scheme = "http"
	}
	if opts.CAFile == "" {
		return &http.Client{Timeout: patience}
	}
	ca, err := os.ReadFile(opts.CAFile)
	if err != nil {
		e.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	return &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}}
}

func (e *endpointUnderTest) path(name string) string { return filepath.Join(e.dir, name) }

func (e *endpointUnderTest) write(name, text string) {
	e.t.Helper()
	if err := os.MkdirAll(filepath.Dir(e.path(name)), 0o750); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(e.path(name), []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// eventually waits for what must come.
func (e *endpointUnderTest) eventually(what string, holds func() bool) {
	e.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) {
			e.t.Fatalf("not %s within %v; the log:\n%s", what, patience, e.log)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (e *endpointUnderTest) wait() error {
	select {
	case e.ended = <-e.done:
		e.done = nil
		return e.ended
	case <-time.After(patience):
		e.t.Fatalf("it does not end:\n%s", e.log)
		return nil
	}
}

// health gives the status and the text of a health endpoint, 0 where nobody answers.
func (e *endpointUnderTest) healthOf(path string) (int, string) {
	response, err := http.Get("http://" + e.Health.String() + path)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

func (e *endpointUnderTest) readyz() int {
	status, _ := e.healthOf("/readyz")
	return status
}

func (e *endpointUnderTest) verbose() string {
	_, text := e.healthOf("/readyz?verbose")
	return text
}

func (e *endpointUnderTest) token() string {
	e.t.Helper()
	text, err := os.ReadFile(e.path("token"))
	if err != nil {
		e.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// try posts a body; err is a connection's.
func (e *endpointUnderTest) try(token, resource, body string) (status int, answer string, err error) {
	url := e.scheme + "://" + e.Endpoint.String() + "/apis/review.callgate.dev/v1alpha1/" + resource
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := e.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

func (e *endpointUnderTest) post(token, resource, body string) (int, string) {
	e.t.Helper()
	status, answer, err := e.try(token, resource, body)
	if err != nil {
		e.t.Fatalf("asking: %v\n%s", err, e.log)
	}
	return status, answer
}

// ask posts a request as the assistant, and fails without a 200.
func (e *endpointUnderTest) ask(kind, request string) string {
	e.t.Helper()
	resource := map[string]string{"ToolCallReview": "toolcallreviews", "ToolRequestReview": "toolrequestreviews", "ToolCallExecution": "toolcallexecutions"}[kind]
	status, answer := e.post(e.token(), resource, `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"`+kind+`","request":`+request+`}`)
	if status != http.StatusOK {
		e.t.Fatalf("answered %d: %s\n%s", status, answer, e.log)
	}
	return answer
}

// code is the code of the verdict on one call.
func (e *endpointUnderTest) code(tool string) string {
	e.t.Helper()
	return codeOf(e.ask("ToolCallReview", `{"calls":[{"name":"`+tool+`","arguments":{}}]}`))
}

func codeOf(answer string) string {
	_, rest, _ := strings.Cut(answer, `"code":"`)
	code, _, _ := strings.Cut(rest, `"`)
	return code
}

// policy lets the assistant call tools that need no schema.
func policy(tools string) string {
	return `apiVersion: callgate.dev/v1alpha1
kind: ToolPolicy
metadata: {name: assistant, namespace: support}
spec:
  subjects: {serviceAccountNames: [assistant]}
  declaredTools: [` + tools + `]
  unvalidatedCalls: Allow
`
}

func now() time.Time { return time.Now() }

// encode64 is how YAML has bytes.
func encode64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
