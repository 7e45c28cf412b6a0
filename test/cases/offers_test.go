package cases_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"testing/fstest"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
	"github.com/callgate/callgate/test/cases"
)

// minOffers is how many cases about offers the table has.
const minOffers = 11

func offers(t *testing.T) (found []cases.Case) {
	t.Helper()
	all, err := cases.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Kind == cases.KindOffer {
			found = append(found, c)
		}
	}
	if len(found) < minOffers {
		t.Fatalf("%d cases about offers, want at least %d: the table shrank", len(found), minOffers)
	}
	return found
}

// The engine alone, without any front end.
func TestOffersInTheEngine(t *testing.T) {
	for _, c := range offers(t) {
		t.Run(c.ID, func(t *testing.T) {
			_, policy := c.Objects("team")
			snap := snapshot.New(compile.Compile(compile.Input{Policies: one(policy)}, nil))
			body, err := c.Body()
			if err != nil {
				t.Fatal(err)
			}
			in, err := toolcall.DecodeRequestReview(body)
			if err != nil {
				t.Fatalf("%s: %v", c.About, err)
			}
			caller := review.Caller{Kind: review.ServiceAccount, Namespace: "team", Name: cases.ServiceAccount}
			decision := review.Offers(snap, caller, &in, review.NewSchemaChecks(), nil)
			if diff := c.CheckOffer(&decision.Response); diff != "" {
				t.Errorf("%s: %s", c.About, diff)
			}
		})
	}
}

// The command line: the objects from a file, and on standard input once the review and
// once the provider's request alone.
func TestOffersOnTheCommandLine(t *testing.T) {
	for _, c := range offers(t) {
		body, err := c.Body()
		if err != nil {
			t.Fatal(err)
		}
		for about, in := range map[string][]byte{"review": body, "bare": c.Request} {
			t.Run(c.ID+" "+about, func(t *testing.T) {
				var out, errOut bytes.Buffer
				code := cli.Run(t.Context(), cli.Deps{
					In: bytes.NewReader(in), Out: &out, Err: &errOut,
					FS:  fstest.MapFS{"work/objects.json": &fstest.MapFile{Data: manifest(t, &c)}},
					Dir: "work", Env: os.Getenv,
				}, []string{"review", "-f", "objects.json", "--as", "system:serviceaccount:team:" + cases.ServiceAccount, "--format", c.Format, "-o", "json", "-"})
				var got reviewv1alpha1.ToolRequestReview
				if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Response == nil {
					t.Fatalf("%s: exit code %d, no review printed: %v\n%s%s", c.About, code, err, &out, &errOut)
				}
				if about == "bare" {
					got.Response.UID = c.ID
				}
				if diff := c.CheckOffer(got.Response); diff != "" {
					t.Errorf("%s: %s", c.About, diff)
				}
				want := cli.ExitBlocked
				if got.Response.Allowed {
					want = cli.ExitOK
				}
				if code != want {
					t.Errorf("exit code %d, want %d", code, want)
				}
			})
		}
	}
}
