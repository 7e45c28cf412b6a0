package app

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
)

const ticketSchema = `---
apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: get-ticket, namespace: support}
spec:
  toolName: get_ticket
  parameters: {type: object, properties: {ticket_id: {type: string}}, required: [ticket_id]}
  result: {fields: [/status]}
`

// Each provider's message gets its verdict over TLS, and a blocked one a reply in the
// provider's own shape.
func TestServeAnswersEveryProvider(t *testing.T) {
	e := serveDir(t, map[string]string{"policies/a.yaml": policy("get_ticket") + ticketSchema})
	bodies := map[string]string{
		"OpenAIChat":      `{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_ticket","arguments":"{ARGS}"}}]}}]}`,
		"OpenAIResponses": `{"output":[{"type":"function_call","call_id":"c1","name":"get_ticket","arguments":"{ARGS}"}]}`,
		"Anthropic":       `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"get_ticket","input":{ARGS}}]}`,
		"Gemini":          `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"get_ticket","args":{ARGS}}}]}}]}`,
		"Bedrock":         `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"get_ticket","input":{ARGS}}}]}}}`,
		"MCP":             `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_ticket","arguments":{ARGS}}}`,
	}
	reply := map[string]string{
		"OpenAIChat": `"role":"tool"`, "OpenAIResponses": `"function_call_output"`, "Anthropic": `"tool_result"`,
		"Gemini": `"functionResponse"`, "Bedrock": `"toolResult"`, "MCP": `"isError":true`,
	}
	for format, body := range bodies {
		for _, as := range []string{format, "Auto"} {
			t.Run(format+" as "+as, func(t *testing.T) {
				message := func(args string) string {
					if strings.Contains(body, `"{ARGS}"`) {
						args = strings.ReplaceAll(args, `"`, `\"`)
					}
					return `{"message":{"format":"` + as + `","body":` + strings.Replace(body, "ARGS", args, 1) + `}}`
				}
				if answer := e.ask("ToolCallReview", message(`"ticket_id":"T-1"`)); codeOf(answer) != "ok" {
					t.Errorf("answered %s", answer)
				}
				if answer := e.ask("ToolCallReview", message(`"ticket_id":1`)); codeOf(answer) != "invalid_arguments" || !strings.Contains(answer, reply[format]) {
					t.Errorf("answered %s", answer)
				}
			})
		}
	}
	if answer := e.ask("ToolRequestReview", `{"tools":["get_ticket","delete_all"]}`); !strings.Contains(answer, `"undeclaredTools":["delete_all"]`) {
		t.Errorf("answered %s", answer)
	}
	for name, tc := range map[string]struct {
		token, resource, body string
		status                int
	}{
		"a token of nobody":  {"0123456789abcdef", "toolcallreviews", `{}`, http.StatusUnauthorized},
		"no token":           {"", "toolcallreviews", `{}`, http.StatusUnauthorized},
		"a broken envelope":  {e.token(), "toolcallreviews", `{}`, http.StatusBadRequest},
		"no such resource":   {e.token(), "toolpolicies", `{}`, http.StatusNotFound},
		"a body that is big": {e.token(), "toolcallreviews", strings.Repeat(" ", 1<<20+1), http.StatusRequestEntityTooLarge},
	} {
		if status, answer := e.post(tc.token, tc.resource, tc.body); status != tc.status || !strings.Contains(answer, `"kind":"Status"`) {
			t.Errorf("%s: answered %d: %s", name, status, answer)
		}
	}
}

const (
	recordsAdapter = `---
apiVersion: callgate.dev/v1alpha1
kind: ToolAdapter
metadata: {name: get-ticket, namespace: support}
spec:
  toolName: get_ticket
  key: "tenant + '/' + args.ticket_id"
  records: {configMapKeyRef: {name: tickets, key: tickets.json}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tickets, namespace: support, labels: {callgate.dev/records: "true"}}
data: {tickets.json: '{"support/T-1": {"status": "STATUS", "owner": "secret"}}'}
`
	ticketCall = `{"call":{"name":"get_ticket","arguments":{"ticket_id":"T-1"}}}`
)

// Calls are run by the records of the files, which change with them.
func TestServeExecutesByRecords(t *testing.T) {
	records := func(status string) string { return strings.Replace(recordsAdapter, "STATUS", status, 1) }
	e := serveDir(t, map[string]string{"policies/a.yaml": policy("get_ticket") + ticketSchema, "policies/records.yaml": records("open")})
	if answer := e.ask("ToolCallExecution", ticketCall); !strings.Contains(answer, `"result":{"status":"open"}`) || strings.Contains(answer, "secret") {
		t.Errorf("answered %s", answer)
	}
	e.write("policies/records.yaml", records("closed"))
	e.eventually("read again", func() bool {
		return strings.Contains(e.ask("ToolCallExecution", ticketCall), `"result":{"status":"closed"}`)
	})
}

// backend answers tickets over TLS. Its certificate is that of the adapters' caBundle.
func backend(t *testing.T, h http.HandlerFunc) (url, caBundle string) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	return s.URL, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

// httpAdapter runs get_ticket by a backend.
func httpAdapter(url, caBundle string) string {
	return `---
apiVersion: callgate.dev/v1alpha1
kind: ToolAdapter
metadata: {name: get-ticket, namespace: support}
spec:
  toolName: get_ticket
  http: {url: "` + url + `/{tenant}/{args.ticket_id}", timeoutMilliseconds: 10000, caBundle: ` + encode64(caBundle) + `}
`
}

func onLoopbackToo(_ string, o *ServeOptions) {
	o.AllowedUpstreams, o.AllowedSpecial = []string{"127.0.0.1:*"}, []string{"loopback"}
}

// Backends are asked where the operator allows it, and nowhere else.
func TestServeExecutesByBackends(t *testing.T) {
	url, ca := backend(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"status":"`+r.URL.Path+`","secret":true}`)
	})
	files := map[string]string{"policies/a.yaml": policy("get_ticket") + ticketSchema + httpAdapter(url, ca)}
	e := serveDir(t, files, onLoopbackToo)
	if answer := e.ask("ToolCallExecution", ticketCall); !strings.Contains(answer, `"result":{"status":"/support/T-1"}`) {
		t.Errorf("answered %s\n%s", answer, e.log)
	}
	e = serveDir(t, files)
	if answer := e.ask("ToolCallExecution", ticketCall); codeOf(answer) != "upstream_error" || !strings.Contains(e.log.String(), "has not allowed it") {
		t.Errorf("answered %s\n%s", answer, e.log)
	}
}

// A validator is asked with the token of a file, which may change.
func TestServeAsksValidators(t *testing.T) {
	url, ca := backend(t, func(w http.ResponseWriter, r *http.Request) {
		valid := "false"
		if r.Header.Get("Authorization") == "Bearer right-token" {
			valid = "true"
		}
		_, _ = io.WriteString(w, `{"valid":`+valid+`,"reason":"by its token"}`)
	})
	judged := policy("get_ticket") + `  semanticValidation: {endpoint: "` + url + `/v1/chat/completions", secretKeyRef: {name: judge, key: token}, caBundle: ` + encode64(ca) + "}\n"
	files := map[string]string{"policies/a.yaml": judged, "judge-token": "right-token\n"}
	offer := func(e *endpointUnderTest) string { return e.ask("ToolRequestReview", `{"tools":["get_ticket"]}`) }

	e := serveDir(t, files, onLoopbackToo, func(dir string, o *ServeOptions) {
		o.ValidatorTokens = []string{"support/judge/token=" + dir + "/judge-token"}
	})
	if answer := offer(e); !strings.Contains(answer, `"semanticValidated":true`) {
		t.Errorf("answered %s\n%s", answer, e.log)
	}
	e = serveDir(t, files, onLoopbackToo)
	if answer := offer(e); !strings.Contains(answer, "secret_unusable") || !strings.Contains(e.log.String(), "--validator-token-file") {
		t.Errorf("answered %s\n%s", answer, e.log)
	}
	e = serveDir(t, files)
	if answer := offer(e); strings.Contains(answer, `"allowed":true`) || !strings.Contains(e.log.String(), "--allowed-upstream") {
		t.Errorf("answered %s\n%s", answer, e.log)
	}
	if strings.Contains(e.log.String(), "right-token") {
		t.Error("the log has the token")
	}
}

// What a signal finds in flight is answered, and the process ends cleanly.
func TestServeDrains(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	url, ca := backend(t, func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-release
		_, _ = io.WriteString(w, `{"status":"late"}`)
	})
	e := serveDir(t, map[string]string{"policies/a.yaml": policy("get_ticket, other") + ticketSchema + httpAdapter(url, ca)}, onLoopbackToo,
		func(_ string, o *ServeOptions) { o.DrainLame = patience })
	answers := make(chan string, 1)
	go func() {
		_, answer, err := e.try(e.token(), "toolcallexecutions", `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallExecution","request":`+ticketCall+`}`)
		if err != nil {
			answer = err.Error()
		}
		answers <- answer
	}()
	<-begun
	e.signals <- syscall.SIGTERM
	e.eventually("unready", func() bool { return e.readyz() == http.StatusServiceUnavailable })
	if code := e.code("other"); code != "ok" {
		t.Errorf("a request while draining: %s", code)
	}
	if status, _ := e.healthOf("/livez"); status != http.StatusOK {
		t.Errorf("/livez answers %d", status)
	}
	close(release)
	if answer := <-answers; !strings.Contains(answer, `"result":{"status":"late"}`) {
		t.Errorf("the request in flight got %s", answer)
	}
	// A second signal ends the wait for clients that have not heard.
	e.signals <- syscall.SIGTERM
	if err := e.wait(); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("it ended with %v", err)
	}

	e = serveDir(t, map[string]string{"policies/a.yaml": policy("first")})
	e.signals <- syscall.SIGTERM
	if err := e.wait(); err != nil {
		t.Errorf("a whole drain ended with %v", err)
	}
	if _, _, err := e.try("", "toolcallreviews", ""); err == nil {
		t.Error("somebody still listens")
	}
}

// Without TLS it is served on loopback, and only there.
func TestServeWithoutTLS(t *testing.T) {
	insecure := func(_ string, o *ServeOptions) { o.SelfSigned, o.CAFile, o.InsecureHTTP = false, "", true }
	e := serveDir(t, map[string]string{"policies/a.yaml": policy("first")}, insecure)
	if code := e.code("first"); code != "ok" || !strings.HasPrefix(e.Endpoint.String(), "127.0.0.1:") {
		t.Errorf("code %s at %s", code, e.Endpoint)
	}
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "localhost:0", "192.0.2.1:0", "[::ffff:192.0.2.1]:0"} {
		opts := e.options()
		insecure("", &opts)
		opts.BindAddress = address
		if err := Serve(t.Context(), opts); err == nil || !strings.Contains(err.Error(), "loopback") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Certificates of files are served, and reloaded.
func TestServeWithCertificatesOfFiles(t *testing.T) {
	pair := func(dir string) (*ownCA, string, string) {
		ca, err := newOwnCA([]string{"127.0.0.1"}, now)
		if err != nil {
			t.Fatal(err)
		}
		cert, key, err := ca.source()
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{"tls.crt": cert, "tls.key": key, "ca.crt": ca.bundle()} {
			if err := os.WriteFile(dir+"/"+name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return ca, dir + "/tls.crt", dir + "/tls.key"
	}
	var opts ServeOptions
	e := serveDir(t, map[string]string{"policies/a.yaml": policy("first")}, func(dir string, o *ServeOptions) {
		_, o.CertFile, o.KeyFile = pair(dir)
		o.SelfSigned, o.CAFile = false, ""
		opts = *o
	}, func(dir string, o *ServeOptions) { opts.CAFile = dir + "/ca.crt" })
	e.client = e.newClient(opts)
	if code := e.code("first"); code != "ok" {
		t.Errorf("code %s", code)
	}
	pair(e.dir)
	e.client.CloseIdleConnections()
	e.client = e.newClient(opts)
	e.eventually("served under the next certificate", func() bool {
		status, _, err := e.try("", "toolcallreviews", "")
		return err == nil && status == http.StatusUnauthorized
	})

	missing := e.options()
	missing.SelfSigned, missing.CAFile, missing.CertFile, missing.KeyFile = false, "", e.path("none.crt"), e.path("none.key")
	if err := Serve(t.Context(), missing); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("served without a certificate: %v", err)
	}
}
