package cases_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/test/cases"
)

// All cases as case files, run by one command: each in a namespace of its own.
func TestCaseFiles(t *testing.T) {
	all, err := cases.Load()
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	n := 0
	for _, c := range all {
		text, ok := caseFile(t, &c)
		if !ok {
			continue
		}
		n++
		files["work/policies/"+c.ID+".json"] = &fstest.MapFile{Data: manifestIn(t, &c, strings.ToLower("case-"+c.ID))}
		files["work/policies/tests/"+c.ID+".json"] = &fstest.MapFile{Data: text}
	}
	if n < 150 {
		t.Fatalf("%d cases make case files, want 150 at least: the conversion lost some", n)
	}
	var out, errOut bytes.Buffer
	code := cli.Run(t.Context(), cli.Deps{In: strings.NewReader(""), Out: &out, Err: &errOut, FS: files, Dir: "work", Env: os.Getenv},
		[]string{"test", "-f", "policies", "-o", "junit"})
	var report struct {
		Suites []struct {
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Time     string `xml:"time,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &report); err != nil || len(report.Suites) != 1 {
		t.Fatalf("exit code %d, no report: %v\n%s", code, err, errOut.String())
	}
	suite := report.Suites[0]
	if suite.Tests != n || suite.Failures != 0 || code != cli.ExitOK {
		t.Errorf("exit code %d: %d of %d cases failed, of %d", code, suite.Failures, suite.Tests, n)
	}
	for _, c := range suite.Cases {
		if c.Failure != nil {
			t.Errorf("%s: %s", c.Name, c.Failure.Message)
		}
	}
	if _, err := strconv.ParseFloat(suite.Time, 64); err != nil {
		t.Errorf("the time is no number: %q", suite.Time)
	}
	t.Logf("%d cases in %s s of judging", suite.Tests, suite.Time)
}

func manifestIn(t *testing.T, c *cases.Case, namespace string) []byte {
	t.Helper()
	return bytes.ReplaceAll(manifest(t, c), []byte(`"namespace":"team"`), fmt.Appendf(nil, `"namespace":%q`, namespace))
}

// caseFile says a case in the shape of case files. ok is false for what JSON cannot hold.
func caseFile(t *testing.T, c *cases.Case) (text []byte, ok bool) {
	t.Helper()
	body, err := c.Body()
	if err != nil {
		t.Fatal(err)
	}
	var review struct {
		Request map[string]json.RawMessage `json:"request"`
	}
	if json.Unmarshal(body, &review) != nil {
		return nil, false
	}
	expected := expectation(c)
	if len(expected) == 0 {
		return nil, false
	}
	input := map[string]json.RawMessage{}
	for _, key := range []string{"message", "calls"} {
		if review.Request[key] != nil {
			input[key] = review.Request[key]
		}
	}
	if !c.Callable() {
		input = map[string]json.RawMessage{"request": review.Request["message"]}
	}
	text, err = json.Marshal(map[string]any{
		"name": c.ID, "description": c.About, "input": input, "expected": expected,
		"as": "system:serviceaccount:" + strings.ToLower("case-"+c.ID) + ":" + cases.ServiceAccount,
	})
	if err != nil {
		t.Fatal(err)
	}
	return text, true
}

func expectation(c *cases.Case) map[string]any {
	verdict := func(allowed bool) string { return map[bool]string{true: "allow", false: "block"}[allowed] }
	e := map[string]any{}
	switch {
	case !c.Callable():
		e["verdict"] = c.Expect.Verdict
		e["details"] = map[string]any{"undeclaredTools": append([]string{}, c.Expect.UndeclaredTools...)}
		return e
	case c.Kind == "schema":
		e["verdict"], e["code"] = "block", "schema_not_ready"
		return e
	case c.Expect.Allowed != nil:
		e["verdict"] = verdict(*c.Expect.Allowed)
	}
	if c.Kind == "batch" {
		var results []map[string]any
		for _, p := range c.Expect.PerCall {
			r := map[string]any{"id": p.ID, "allowed": p.Allowed}
			if p.Errors != nil {
				r["errors"] = *p.Errors
			}
			results = append(results, r)
		}
		e["results"] = results
		return e
	}
	if c.Expect.Code != "" {
		e["code"] = c.Expect.Code
	}
	if c.Expect.Errors != nil {
		e["errors"] = *c.Expect.Errors
	}
	return e
}
