package cases_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/callgate/callgate/internal/app"
	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/test/cases"
)

// All cases served from files by one process, each in a namespace of its own: the answers
// are, byte for byte, those of the command line.
func TestServe(t *testing.T) {
	all, err := cases.Load()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var identities strings.Builder
	identities.WriteString("identities:\n")
	write := func(name string, text []byte) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	namespace := func(c *cases.Case) string { return strings.ToLower("case-" + c.ID) }
	for i := range all {
		c := &all[i]
		write("policies/"+c.ID+".json", manifestIn(t, c, namespace(c)))
		fmt.Fprintf(&identities, "- {token: token-of-%s, namespace: %s, serviceAccountName: %s}\n", namespace(c), namespace(c), cases.ServiceAccount)
	}
	write("identities.yaml", []byte(identities.String()))
	url := serveCases(t, dir)
	verdicts := 0
	for i := range all {
		c := &all[i]
		t.Run(c.ID, func(t *testing.T) {
			body, err := c.Body()
			if err != nil {
				t.Fatal(err)
			}
			resource := "toolcallreviews"
			if !c.Callable() {
				resource = "toolrequestreviews"
			}
			status, served := post(t, url+resource, "token-of-"+namespace(c), body)
			printed := printedBy(t, c, namespace(c), body)
			if status != http.StatusOK {
				if printed != "" {
					t.Errorf("%s: served %d: %s\nprinted %s", c.About, status, served, printed)
				}
				return
			}
			verdicts++
			if got := responseOf(t, served); got != printed {
				t.Errorf("%s:\nserved  %s\nprinted %s", c.About, got, printed)
			}
		})
	}
	if verdicts < 190 {
		t.Errorf("%d cases got a verdict, want 190 at least", verdicts)
	}
}

// serveCases serves a directory on loopback until the test ends.
func serveCases(t *testing.T, dir string) (url string) {
	t.Helper()
	opts := app.DefaultServeOptions()
	opts.Files, opts.Identities = []string{filepath.Join(dir, "policies")}, filepath.Join(dir, "identities.yaml")
	opts.BindAddress, opts.HealthBindAddress, opts.InsecureHTTP = "127.0.0.1:0", "127.0.0.1:0", true
	opts.DrainLame, opts.DrainClosing = time.Millisecond, time.Millisecond
	opts.Audit.Mode, opts.Log = "off", io.Discard
	listening, done := make(chan app.Addresses, 1), make(chan error, 1)
	opts.OnListen = func(a app.Addresses) { listening <- a }
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() { done <- app.Serve(ctx, opts) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	select {
	case a := <-listening:
		return "http://" + a.Endpoint.String() + "/apis/review.callgate.dev/v1alpha1/"
	case err := <-done:
		done <- err
		t.Fatal(err)
	}
	return ""
}

func post(t *testing.T, url, token string, body []byte) (status int, answer []byte) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if answer, err = io.ReadAll(response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// printedBy is what the command line says, "" where it has no verdict.
func printedBy(t *testing.T, c *cases.Case, namespace string, body []byte) string {
	t.Helper()
	var out, errOut bytes.Buffer
	cli.Run(t.Context(), cli.Deps{
		In: bytes.NewReader(body), Out: &out, Err: &errOut, Dir: "work", Env: os.Getenv,
		FS: fstest.MapFS{"work/objects.json": &fstest.MapFile{Data: manifestIn(t, c, namespace)}},
	}, []string{"review", "-f", "objects.json", "--as", "system:serviceaccount:" + namespace + ":" + cases.ServiceAccount, "-o", "json", "-"})
	if out.Len() == 0 {
		return ""
	}
	return responseOf(t, out.Bytes())
}

// responseOf is a verdict but for what is made up for each review, and the revision, which
// is that of all objects.
func responseOf(t *testing.T, answer []byte) string {
	t.Helper()
	var review struct {
		Response json.RawMessage `json:"response"`
	}
	if err := json.Unmarshal(answer, &review); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, review.Response); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`"(revision|uid)":"[^"]*"`).ReplaceAllString(compact.String(), `"$1":"…"`)
}
