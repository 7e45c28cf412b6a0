package cases_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/runtime"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/test/cases"
)

// The command line: objects from a file, the review on standard input.
func TestCommandLine(t *testing.T) {
	all, err := cases.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if !c.Callable() {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			body, err := c.Body()
			if err != nil {
				t.Fatal(err)
			}
			var out, errOut bytes.Buffer
			code := cli.Run(t.Context(), cli.Deps{
				In: bytes.NewReader(body), Out: &out, Err: &errOut,
				FS:  fstest.MapFS{"work/objects.json": &fstest.MapFile{Data: manifest(t, &c)}},
				Dir: "work", Env: os.Getenv,
			}, []string{"review", "-f", "objects.json", "--as", "system:serviceaccount:team:" + cases.ServiceAccount, "-o", "json", "-"})
			var review reviewv1alpha1.ToolCallReview
			if err := json.Unmarshal(out.Bytes(), &review); err != nil {
				t.Fatalf("%s: exit code %d, no review printed: %v\n%s%s", c.About, code, err, &out, &errOut)
			}
			if diff := c.Check(review.Response); diff != "" {
				t.Errorf("%s: %s", c.About, diff)
			}
			want := cli.ExitBlocked
			if review.Response != nil && review.Response.Allowed {
				want = cli.ExitOK
			}
			if code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
		})
	}
}

// manifest writes the objects of a case as a List.
func manifest(t *testing.T, c *cases.Case) []byte {
	t.Helper()
	schemas, policy := c.Objects("team")
	list := map[string]any{"apiVersion": "v1", "kind": "List"}
	items := []any{plain(t, policy)}
	for _, s := range schemas {
		items = append(items, plain(t, s))
	}
	list["items"] = items
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// plain leaves off what no author writes.
func plain(t *testing.T, object runtime.Object) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "status")
	text, err = json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
