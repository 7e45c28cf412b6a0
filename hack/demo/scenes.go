package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/util/cert"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/testenv"
	"github.com/callgate/callgate/test/harness"
)

func startControlPlane(s *stage) {
	s.title("A real kube-apiserver and etcd")
	s.say("starting them…")
	started := time.Now()
	s.env = testenv.StartWith(s, testenv.Options{WithoutCRDs: true})
	s.kubectlBin, s.kubeconfig = s.env.Kubectl(s)
	version, err := s.quiet("version")
	if err != nil {
		s.fail("kubectl version: %v: %s", err, version)
	}
	s.say("ready after %.0f s", time.Since(started).Seconds())
	s.show(version)
}

func install(s *stage) {
	s.title("Install Callgate, and apply the samples")
	s.kubectl("apply", "-k", "config/default")
	s.kubectl("wait", "--for=condition=Established", "--timeout=30s", "crd", "toolschemas.callgate.dev", "toolpolicies.callgate.dev")
	s.kubectl("apply", "-f", "hack/demo/files/agents.yaml")
	s.kubectl("apply", "-f", "config/samples")
}

func startManager(s *stage) {
	s.title("Start the manager, with no more rights than its ClusterRole gives")
	ctx := context.Background()
	kubeconfig := harness.Kubeconfig(ctx, s, s.env, s.dir)
	crt, key, err := cert.GenerateSelfSignedCertKey("callgate.callgate-system.svc", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		s.fail("making a certificate: %v", err)
	}
	for name, data := range map[string][]byte{"tls.crt": crt, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(s.dir, name), data, 0o600); err != nil {
			s.fail("writing a certificate: %v", err)
		}
	}
	endpoint, admission, health := harness.FreeAddress(s), harness.FreeAddress(s), harness.FreeAddress(s)
	s.url, s.health = "https://"+endpoint.String(), "http://"+health.String()
	args := []string{
		"manager", "--kubeconfig", kubeconfig,
		"--bind-address", endpoint.String(), "--admission-bind-address", admission.String(), "--health-bind-address", health.String(),
		"--tls-cert-file", filepath.Join(s.dir, "tls.crt"), "--tls-private-key-file", filepath.Join(s.dir, "tls.key"),
		"--leader-election-namespace", "callgate-system",
		"--drain-lame", "200ms", "--drain-closing", "200ms",
	}
	s.say("$ callgate manager --bind-address :8443 --tls-cert-file tls.crt --tls-private-key-file tls.key …")
	s.log, s.exited = &bytes.Buffer{}, make(chan error, 1)
	s.manager = exec.Command(filepath.Join(s.root, "bin", "callgate"), args...)
	s.manager.Stdout, s.manager.Stderr = s.log, s.log
	if err := s.manager.Start(); err != nil {
		s.fail("starting the manager: %v", err)
	}
	go func(cmd *exec.Cmd) { s.exited <- cmd.Wait() }(s.manager)
	s.eventually("the manager is ready", 60*time.Second, func() bool { return s.ready() })
	s.say("/readyz answers 200: a policy set is compiled and the endpoint listens")
	harness.RegisterAdmission(ctx, s, s.env, admission, crt)
	s.say("The admission webhook is registered; it refuses nothing, and warns on apply.")
}

func (s *stage) ready() bool {
	select {
	case err := <-s.exited:
		s.manager = nil
		s.fail("the manager ended: %v", err)
	default:
	}
	client := http.Client{Timeout: time.Second}
	response, err := client.Get(s.health + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func showObjects(s *stage) {
	s.title("What is in force")
	s.kubectl("wait", "--for=condition=Ready", "--timeout=30s", "tsch,tpol", "--all")
	s.kubectl("get", "tpol,tsch")
	s.kubectl("explain", "tsch.spec.arguments.integers")
	s.token("token", "assistant", "callgate.dev")
	s.token("other-token", "assistant", "somebody.else")
	s.say("The agent pod has a token of its ServiceAccount with our audience, as in:")
	s.say("$ kubectl create token assistant --audience callgate.dev > token")
}

func goodCall(s *stage) {
	s.title("A good call")
	a := s.curl("good.json", "token")
	s.pretty(a)
	r := s.verdict(a)
	if !r.Allowed || r.Code != reviewv1alpha1.CodeOK || len(r.Errors) > 0 || r.ArgumentsDigest == "" {
		s.fail("a good call was answered %+v", r)
	}
}

var sampleErrors = []string{"missing:city", "type:days", "unexpected:tz"}

func sampleCall(s *stage) {
	s.title("A bad call: city is missing, days is a boolean, and nobody declared tz")
	a := s.curl("seed.json", "token")
	s.pretty(a)
	s.expectSample(a)
}

func (s *stage) expectSample(a answer) {
	r := s.verdict(a)
	if r.Allowed || r.Code != reviewv1alpha1.CodeInvalidArguments || !slices.Equal(r.Errors, sampleErrors) {
		s.fail("the call was answered code %s, errors %q, want %q", r.Code, r.Errors, sampleErrors)
	}
}

func providerMessages(s *stage) {
	s.title("The same call as the model's provider returned it")
	s.say("An OpenAI assistant message, verbatim:")
	a := s.curl("openai.json", "token")
	s.expectSample(a)
	s.say("HTTP %d, call_3: %q", a.status, s.verdict(a).Errors)
	s.say("An MCP tools/call request, verbatim:")
	a = s.curl("mcp.json", "token")
	s.expectSample(a)
	s.say("HTTP %d, call 4: %q", a.status, s.verdict(a).Errors)
}

func brokenSchema(s *stage) {
	s.title("A schema that does not compile")
	out := s.kubectl("apply", "-f", "hack/demo/files/broken.yaml", "-f", "hack/demo/files/mailer.yaml")
	for _, want := range []string{"Warning:", "/properties/to/type", "/properties/attempts/minimum"} {
		if !strings.Contains(out, want) {
			s.fail("the apply does not show %q", want)
		}
	}
	s.kubectl("wait", "--for=condition=Stalled", "--timeout=30s", "tsch", "send-mail")
	out = s.kubectl("get", "tsch", "send-mail", "-o", `jsonpath={range .status.conditions[*]}{.type}={.status} {.reason}: {.message}{"\n"}{end}`)
	if !strings.Contains(out, "Accepted=False InvalidSchema") {
		s.fail("the condition does not tell")
	}
	s.say("Calls to it are blocked; no other tool is disturbed.")
	s.token("mail-token", "mailer", "callgate.dev")
	a := s.curl("mail.json", "mail-token")
	if r := s.verdict(a); r.Allowed || r.Code != reviewv1alpha1.CodeSchemaNotReady {
		s.fail("a call to the broken tool was answered %+v", r)
	}
	s.say("HTTP %d, call_5: %q", a.status, s.verdict(a).Errors)
	if r := s.verdict(s.curl("good.json", "mail-token")); !r.Allowed {
		s.fail("a call to another tool was answered %+v", r)
	}
	s.say("call_1: allowed")
	s.say("Mended, it is in force at once:")
	s.kubectl("apply", "-f", "hack/demo/files/mended.yaml")
	mended := time.Now()
	s.eventually("the mended schema is in force", time.Second, func() bool { return s.verdict(s.ask("mail.json", "mail-token")).Allowed })
	s.say("call_5: allowed, %d ms after the apply", time.Since(mended).Milliseconds())
}

// token asks for a ServiceAccount's token and keeps it in a file of the demo's own.
func (s *stage) token(file, serviceAccount, audience string) {
	token, err := s.quiet("create", "token", serviceAccount, "--audience", audience)
	if err != nil {
		s.fail("asking for a token: %v: %s", err, token)
	}
	if err := os.WriteFile(filepath.Join(s.dir, file), []byte(token), 0o600); err != nil {
		s.fail("writing a token: %v", err)
	}
}

func strangers(s *stage) {
	s.title("Strangers")
	s.say("Without a token:")
	s.refused(s.curl("good.json", ""))
	s.say("With the token of a ServiceAccount, but for another audience:")
	s.refused(s.curl("good.json", "other-token"))
}

func (s *stage) refused(a answer) {
	if a.status != http.StatusUnauthorized {
		s.fail("answered HTTP %d, want 401: %s", a.status, a.body)
	}
	var status struct{ Reason, Message string }
	if err := json.Unmarshal(a.body, &status); err != nil || status.Reason != "Unauthorized" {
		s.fail("the answer is no Status: %v: %s", err, a.body)
	}
	s.say("HTTP %d %s: %s", a.status, status.Reason, status.Message)
}

func finish(s *stage) {
	s.title("Stop")
	if err := s.manager.Process.Signal(syscall.SIGTERM); err != nil {
		s.fail("stopping the manager: %v", err)
	}
	select {
	case err := <-s.exited:
		s.manager = nil
		if err != nil {
			s.fail("the manager ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		s.fail("the manager did not stop within 30 s")
	}
	s.say("The manager drained and ended with exit code 0. All was as told.")
}

// verdict reads the answer to a review of one call.
func (s *stage) verdict(a answer) reviewv1alpha1.ToolCallResult {
	var review reviewv1alpha1.ToolCallReview
	if err := json.Unmarshal(a.body, &review); a.status != http.StatusOK || err != nil || review.Response == nil || len(review.Response.Results) != 1 {
		s.fail("answered HTTP %d: %v: %s", a.status, err, a.body)
	}
	return review.Response.Results[0]
}
