package app

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestServeOptions(t *testing.T) {
	dir := t.TempDir()
	good := func() ServeOptions {
		o := DefaultServeOptions()
		o.Files, o.Identities, o.SelfSigned = []string{dir}, dir+"/identities", true
		return o
	}
	if o := good(); o.Validate() != nil {
		t.Fatalf("refused: %v", o.Validate())
	}
	pipe := dir + "/pipe"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func(o *ServeOptions)
		says   string
	}{
		"no files":             {func(o *ServeOptions) { o.Files = nil }, "-f is missing"},
		"standard input":       {func(o *ServeOptions) { o.Files = []string{"-"} }, "can be read once"},
		"a pipe":               {func(o *ServeOptions) { o.Files = []string{pipe} }, "neither a file nor a directory"},
		"nobody may ask":       {func(o *ServeOptions) { o.Identities = "" }, "--identities is missing"},
		"a namespace":          {func(o *ServeOptions) { o.Namespace = "Not" }, "--namespace"},
		"no way to serve":      {func(o *ServeOptions) { o.SelfSigned = false }, "choose one of"},
		"two ways to serve":    {func(o *ServeOptions) { o.InsecureHTTP = true }, "choose one of"},
		"half a pair":          {func(o *ServeOptions) { o.SelfSigned, o.CertFile = false, "x" }, "belong together"},
		"a CA of nobody":       {func(o *ServeOptions) { o.SelfSigned, o.InsecureHTTP, o.CAFile = false, true, "x" }, "--tls-ca-file"},
		"HTTP for all":         {func(o *ServeOptions) { o.SelfSigned, o.InsecureHTTP, o.BindAddress = false, true, ":80" }, "loopback only"},
		"an address":           {func(o *ServeOptions) { o.BindAddress = "localhost" }, "--bind-address"},
		"an address of health": {func(o *ServeOptions) { o.HealthBindAddress = "" }, "--health-bind-address"},
		"a drain":              {func(o *ServeOptions) { o.DrainLame = 0 }, "--drain-lame"},
		"a pause":              {func(o *ServeOptions) { o.ReloadInterval = -time.Second }, "--reload-interval"},
		"a level":              {func(o *ServeOptions) { o.LogLevel = "loud" }, "--log-level"},
		"a format":             {func(o *ServeOptions) { o.LogFormat = "xml" }, "--log-format"},
		"an upstream":          {func(o *ServeOptions) { o.AllowedUpstreams = []string{"::"} }, "--allowed-upstream"},
		"an audit":             {func(o *ServeOptions) { o.Audit.Mode = "perhaps" }, "--audit"},
		"a token for nobody":   {func(o *ServeOptions) { o.IssueTokens = []string{"support=x"} }, "NAMESPACE/NAME=FILE"},
		"a token for nothing":  {func(o *ServeOptions) { o.IssueTokens = []string{"support/assistant="} }, "NAMESPACE/NAME=FILE"},
		"a validator's token":  {func(o *ServeOptions) { o.ValidatorTokens = []string{"support/judge=x"} }, "NAMESPACE/SECRET/KEY=FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			o := good()
			tc.change(&o)
			if err := o.Validate(); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
		})
	}
	token := dir + "/token"
	if err := os.WriteFile(token, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, given := range map[string][]string{"a file that is not there": {"support/judge/token=" + dir + "/none"}, "a key twice": {"support/judge/token=" + token, "support/judge/token=" + token}} {
		if _, err := newFileSecrets(given); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// A made certificate is good for what it was made for, and followed by another one of the
// same CA before it ends.
func TestOwnCA(t *testing.T) {
	began := time.Now()
	clock := began
	ca, err := newOwnCA(selfSignedHosts("192.0.2.7:8443", []string{"gate.example.org"}), func() time.Time { return clock })
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca.bundle()) {
		t.Fatal("the CA cannot be read")
	}
	leaf := func() *x509.Certificate {
		certPEM, keyPEM, err := ca.source()
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.X509KeyPair(certPEM, keyPEM)
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf
	}
	first := leaf()
	for _, host := range []string{"localhost", "127.0.0.1", "::1", "192.0.2.7", "gate.example.org"} {
		if _, err := first.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: clock}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := first.Verify(x509.VerifyOptions{Roots: roots, DNSName: "example.org", CurrentTime: clock}); err == nil {
		t.Error("good for another host")
	}
	for _, ended := range []time.Duration{leafLife/2 - time.Second, leafLife / 2, leafLife, 400 * leafLife} {
		clock = began.Add(ended)
		next := leaf()
		if _, err := next.Verify(x509.VerifyOptions{Roots: roots, DNSName: "localhost", CurrentTime: clock}); err != nil {
			t.Errorf("after %v: %v", ended, err)
		}
		if renewed := next.SerialNumber.Cmp(first.SerialNumber) != 0; renewed != (ended >= leafLife/2) {
			t.Errorf("after %v renewed = %v", ended, renewed)
		}
	}
	want := []string{"127.0.0.1", "::1", "localhost"}
	if diff := cmp.Diff(want, selfSignedHosts("0.0.0.0:8443", nil)); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
}
