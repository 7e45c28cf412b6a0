package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/internal/toolcall"
)

const (
	seedCall  = `{"name":"get_weather","arguments":{"days":true,"tz":"UTC"}}`
	assistant = "--as=system:serviceaccount:support:assistant"
)

func objects(t *testing.T) fstest.MapFS {
	t.Helper()
	text, err := os.ReadFile("testdata/objects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{"work/objects.yaml": &fstest.MapFile{Data: text}}
}

// The seed's sample, end to end.
func TestSeedSample(t *testing.T) {
	out, _, code := runIn(t, objects(t), nil, seedCall, "review", "-f", "objects.yaml", assistant, "-o", "json")
	if code != ExitBlocked {
		t.Errorf("exit code = %d, want %d", code, ExitBlocked)
	}
	var got struct {
		Response struct {
			Results []struct {
				Errors []string `json:"errors"`
			} `json:"results"`
		} `json:"response"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("decoding the output: %v", err)
	}
	if len(got.Response.Results) != 1 {
		t.Fatalf("%d results, want 1", len(got.Response.Results))
	}
	want := []string{"missing:city", "type:days", "unexpected:tz"}
	if diff := cmp.Diff(want, got.Response.Results[0].Errors); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// What -o json prints may be sent to the endpoint once its response is taken off.
func TestOutputIsAReview(t *testing.T) {
	for _, call := range []string{
		seedCall,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"\u0000<\u2028>","days":1e2}}}`,
	} {
		out, _, _ := runIn(t, objects(t), nil, call, "review", "-f", "objects.yaml", assistant, "-o", "json")
		var review map[string]json.RawMessage
		if err := json.Unmarshal([]byte(out), &review); err != nil {
			t.Fatalf("decoding the output: %v", err)
		}
		delete(review, "response")
		again, err := json.Marshal(review)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := toolcall.DecodeReview(again); err != nil {
			t.Errorf("sending the review of %s again: %v", call, err)
		}
	}
}

func TestAnswersAreEqualForEqualQuestions(t *testing.T) {
	run := func(call string) string {
		out, _, _ := runIn(t, objects(t), nil, call, "review", "-f", "objects.yaml", assistant, "-o", "json")
		return out
	}
	if diff := cmp.Diff(run(seedCall), run(seedCall)); diff != "" {
		t.Errorf("second answer (-first +second):\n%s", diff)
	}
}

func TestMarksAndColours(t *testing.T) {
	cases := map[string]struct {
		env      map[string]string
		terminal bool
		want     string
	}{
		"nothing known":        {want: "[blocked] get_weather  invalid_arguments"},
		"UTF-8":                {env: map[string]string{"LANG": "en_US.utf8"}, want: "✗ get_weather  invalid_arguments"},
		"LC_ALL wins":          {env: map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "C"}, want: "[blocked] get_weather  invalid_arguments"},
		"terminal":             {terminal: true, want: "\x1b[31m[blocked]\x1b[0m get_weather  invalid_arguments"},
		"terminal without any": {terminal: true, env: map[string]string{"NO_COLOR": "1"}, want: "[blocked] get_weather  invalid_arguments"},
		"dumb terminal":        {terminal: true, env: map[string]string{"TERM": "dumb"}, want: "[blocked] get_weather  invalid_arguments"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			Run(t.Context(), Deps{
				In: strings.NewReader(seedCall), Out: &out, Err: &errOut, FS: objects(t), Dir: "work",
				Env: func(name string) string { return tc.env[name] }, Terminal: tc.terminal,
			}, []string{"review", "-f", "objects.yaml", assistant})
			first, _, _ := strings.Cut(out.String(), "\n")
			if first != tc.want {
				t.Errorf("first line = %q, want %q (stderr: %s)", first, tc.want, errOut.String())
			}
		})
	}
}

// Names come from a model and must not write to the terminal.
func TestNamesCannotForgeLines(t *testing.T) {
	call := `{"id":"a\u001b[2J","name":"x\n✓ get_weather  ok\u202e","arguments":{}}`
	out, _, _ := runIn(t, objects(t), nil, call, "review", "-f", "objects.yaml", assistant, "--format", "Native")
	for _, bad := range []string{"\x1b", "\n✓", "\u202e"} {
		if strings.Contains(out, bad) {
			t.Errorf("output holds %q:\n%s", bad, out)
		}
	}
}

func TestTooLargeCall(t *testing.T) {
	call := `{"name":"` + strings.Repeat("x", toolcall.MaxBodyBytes) + `"}`
	_, errOut, code := runIn(t, objects(t), nil, call, "review", "-f", "objects.yaml", assistant)
	want := "callgate: reading the call: standard input is larger than 1024 KiB, which the endpoint refuses\n"
	if code != ExitUsage || errOut != want {
		t.Errorf("exit %d, stderr %q; want %d, %q", code, errOut, ExitUsage, want)
	}
}

func TestPanicIsNoVerdict(t *testing.T) {
	var out, errOut bytes.Buffer
	code := Run(t.Context(), Deps{Out: &out, Err: &errOut}, []string{"crash"}, &cobra.Command{
		Use: "crash",
		Run: func(*cobra.Command, []string) { panic("on purpose") },
	})
	if code != ExitUsage || !strings.HasPrefix(errOut.String(), "callgate: internal error, please report it: on purpose\n") {
		t.Errorf("exit %d, stderr %q", code, errOut.String())
	}
}

func TestPluginShowsBothWords(t *testing.T) {
	cases := map[string]string{
		"/usr/local/bin/callgate":         "callgate",
		"/usr/local/bin/kubectl-callgate": "kubectl callgate",
		"":                                "callgate",
	}
	for arg0, want := range cases {
		if got := programName([]string{arg0}); got != want {
			t.Errorf("program %q is called %q, want %q", arg0, got, want)
		}
	}
	var out, errOut bytes.Buffer
	Run(t.Context(), Deps{Out: &out, Err: &errOut, Name: "kubectl callgate"}, []string{"review"})
	if !strings.Contains(errOut.String(), "See 'kubectl callgate review --help'") {
		t.Errorf("stderr = %q", errOut.String())
	}
}

func TestSourcePaths(t *testing.T) {
	cases := map[string]string{
		"a.yaml":          "home/me/a.yaml",
		"./dir/":          "home/me/dir",
		"../a.yaml":       "home/a.yaml",
		"../../../a.yaml": "a.yaml",
		"/etc/policies":   "etc/policies",
		"/":               ".",
		"-":               "-",
	}
	for typed, want := range cases {
		if got := (Deps{Dir: "home/me"}).source(typed).Path; got != want {
			t.Errorf("source(%q) = %q, want %q", typed, got, want)
		}
	}
}
