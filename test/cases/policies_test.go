package cases_test

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/cli"
)

//go:embed policies.jsonl
var policyTable []byte

// policyCase is one line of the table of policies: the objects of a cluster, a call, and
// what becomes of it.
type policyCase struct {
	ID         string            `json:"id"`
	About      string            `json:"about"`
	Objects    []json.RawMessage `json:"objects"`
	As         string            `json:"as"`
	Call       json.RawMessage   `json:"call"`
	Context    json.RawMessage   `json:"context,omitempty"`
	OnBehalfOf json.RawMessage   `json:"onBehalfOf,omitempty"`
	Expect     struct {
		// Refused: there is no verdict; the endpoint answers 403.
		Refused    bool                       `json:"refused"`
		Code       reviewv1alpha1.VerdictCode `json:"code"`
		Errors     []string                   `json:"errors"`
		Feedback   string                     `json:"feedback"`
		WouldBlock bool                       `json:"wouldBlock"`
	} `json:"expect"`
}

func TestPolicies(t *testing.T) {
	scanner := bufio.NewScanner(bytes.NewReader(policyTable))
	scanner.Buffer(nil, 1<<20)
	ran := 0
	for scanner.Scan() {
		d := json.NewDecoder(bytes.NewReader(scanner.Bytes()))
		d.DisallowUnknownFields()
		var c policyCase
		if err := d.Decode(&c); err != nil {
			t.Fatalf("reading case %d: %v", ran+1, err)
		}
		ran++
		t.Run(c.ID, func(t *testing.T) { c.run(t) })
	}
	if ran < 28 {
		t.Errorf("ran %d cases, want at least 28: the table shrank", ran)
	}
}

func (c *policyCase) run(t *testing.T) {
	files := fstest.MapFS{}
	list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": c.Objects})
	if err != nil {
		t.Fatal(err)
	}
	files["work/objects.json"] = &fstest.MapFile{Data: list}
	request, err := json.Marshal(map[string]any{"calls": []json.RawMessage{c.Call}})
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]json.RawMessage{"context": c.Context, "onBehalfOf": c.OnBehalfOf} {
		if value != nil {
			request = append(bytes.TrimSuffix(request, []byte("}")), `,"`+key+`":`+string(value)+"}"...)
		}
	}
	body := `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":` + string(request) + "}"
	as := c.As
	if as == "" {
		as = "system:serviceaccount:team:agent"
	}
	var out, errOut bytes.Buffer
	code := cli.Run(t.Context(), cli.Deps{In: strings.NewReader(body), Out: &out, Err: &errOut, FS: files, Dir: "work", Env: os.Getenv},
		[]string{"review", "-f", "objects.json", "-n", "team", "--as", as, "-o", "json", "-"})
	if c.Expect.Refused {
		if code != cli.ExitBlocked || out.Len() > 0 || !strings.Contains(errOut.String(), "reviewas") {
			t.Errorf("%s: exit code %d, %s%s", c.About, code, &out, &errOut)
		}
		return
	}
	var review reviewv1alpha1.ToolCallReview
	if err := json.Unmarshal(out.Bytes(), &review); err != nil || review.Response == nil || len(review.Response.Results) != 1 {
		t.Fatalf("%s: exit code %d, %v\n%s%s", c.About, code, err, &out, &errOut)
	}
	r := review.Response.Results[0]
	if r.Code != c.Expect.Code || !slices.Equal(r.Errors, c.Expect.Errors) || r.WouldBlock != c.Expect.WouldBlock {
		t.Errorf("%s: code %s, errors %q, wouldBlock %v; want %s, %q, %v\n%s", c.About, r.Code, r.Errors, r.WouldBlock, c.Expect.Code, c.Expect.Errors, c.Expect.WouldBlock, &errOut)
	}
	if c.Expect.Feedback != "" && r.Feedback != c.Expect.Feedback {
		t.Errorf("%s: feedback %q", c.About, r.Feedback)
	}
}
