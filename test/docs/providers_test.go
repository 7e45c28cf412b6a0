package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/cli"
)

// providers are the pages in docs/providers and the formats that they are about. Every
// format of a provider's message has one.
var providers = map[string]reviewv1alpha1.MessageFormat{
	"openai-chat":      reviewv1alpha1.FormatOpenAIChat,
	"openai-responses": reviewv1alpha1.FormatOpenAIResponses,
	"anthropic":        reviewv1alpha1.FormatAnthropic,
	"gemini":           reviewv1alpha1.FormatGemini,
	"bedrock":          reviewv1alpha1.FormatBedrock,
	"mcp":              reviewv1alpha1.FormatMCP,
}

// asAssistant are the words of the pages' commands before the call.
var asAssistant = []string{"review", "-f", "config/samples", "--as", "system:serviceaccount:default:assistant"}

// page is the blocks of one page in the language, in their order.
func page(t *testing.T, blocks []block, name, language string) []block {
	t.Helper()
	var found []block
	for _, b := range blocks {
		if strings.HasSuffix(filepath.ToSlash(b.file), "docs/providers/"+name+".md") && b.language == language {
			found = append(found, b)
		}
	}
	return found
}

func TestEveryProviderPageIsHeldToTheProgram(t *testing.T) {
	_, files, _ := documents(t)
	pages := 0
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) != "providers" {
			continue
		}
		pages++
		if name := strings.TrimSuffix(filepath.Base(file), ".md"); providers[name] == "" {
			t.Errorf("%s is checked by no test", file)
		}
	}
	if pages != len(providers) {
		t.Errorf("found %d pages, want %d", pages, len(providers))
	}
}

// Every command that a page shows prints what it shows: one for a message with a call
// that is allowed and one that is not, and one for an offer.
func TestProviderPagesShowRealVerdicts(t *testing.T) {
	root, _, blocks := documents(t)
	for name := range providers {
		var files []string
		commands := commandsShown(t, root, blocks, "docs/providers/"+name+".md")
		printAsShown(t, root, commands, cli.ExitBlocked, cli.ExitBlocked)
		for _, c := range commands {
			files = append(files, c.arguments[strings.LastIndexByte(c.arguments, ' ')+1:])
			if strings.HasSuffix(c.arguments, "call.json") && (!strings.Contains(c.output, "✓") || !strings.Contains(c.output, "✗")) {
				t.Errorf("docs/providers/%s.md: %q shows no call that is allowed beside one that is not", name, c.arguments)
			}
		}
		want := []string{"docs/examples/providers/" + name + "/call.json", "docs/examples/providers/" + name + "/request.json"}
		if !slices.Equal(files, want) {
			t.Errorf("docs/providers/%s.md reviews %v, want %v", name, files, want)
		}
	}
}

// answered is the review of a page's call.json with its response.
func answered(t *testing.T, root, name string) *reviewv1alpha1.ToolCallReview {
	t.Helper()
	file := "docs/examples/providers/" + name + "/call.json"
	text, _ := review(t, root, append(slices.Clone(asAssistant), "-o", "json", file)...)
	var answer reviewv1alpha1.ToolCallReview
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Response == nil {
		t.Fatalf("no answer to %s: %v", file, err)
	}
	if got := answer.Request.Message.Format; got != providers[name] {
		t.Errorf("%s is a message of format %s, want %s", file, got, providers[name])
	}
	return &answer
}

func TestProviderPagesShowTheRealReply(t *testing.T) {
	root, _, blocks := documents(t)
	for name := range providers {
		shown := page(t, blocks, name, "jsonc")
		if len(shown) != 1 {
			t.Errorf("docs/providers/%s.md shows %d replies, want 1", name, len(shown))
			continue
		}
		reply, err := json.Marshal(answered(t, root, name).Response.Reply)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := strings.CutPrefix(shown[0].text, "// response.reply\n")
		if !ok {
			t.Errorf("docs/providers/%s.md does not say that it shows response.reply", name)
		}
		if diff := cmp.Diff(compact(t, text), compact(t, string(reply))); diff != "" {
			t.Errorf("docs/providers/%s.md shows another reply (-shown +real):\n%s", name, diff)
		}
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var (
	quirk = regexp.MustCompile("(?m)^\\| [^|]+ \\| `([{\\[][^`]+)` \\| (`[^|]+`) \\|$")
	code  = regexp.MustCompile("`([^`]+)`")
)

// Each row of a page's table has a message, and all the errors and warnings of its
// answer, or "ok".
func TestProviderTablesShowRealAnswers(t *testing.T) {
	root, files, _ := documents(t)
	for name, format := range providers {
		i := slices.IndexFunc(files, func(f string) bool { return strings.HasSuffix(filepath.ToSlash(f), "docs/providers/"+name+".md") })
		if i < 0 {
			t.Fatalf("docs/providers/%s.md is missing", name)
		}
		text := read(t, files[i])
		rows := quirk.FindAllStringSubmatch(text, -1)
		// All lines of a table are rows, but for its head.
		if lines := strings.Count(text, "\n| "); len(rows) < 7 || lines != len(rows)+1 {
			t.Errorf("docs/providers/%s.md: %d rows can be run, of %d lines", name, len(rows), lines)
		}
		for _, row := range rows {
			var want []string
			for _, m := range code.FindAllStringSubmatch(row[2], -1) {
				want = append(want, m[1])
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, said(t, root, format, row[1])); diff != "" {
				t.Errorf("docs/providers/%s.md shows another answer to %s (-shown +real):\n%s", name, row[1], diff)
			}
		}
	}
}

// said is what a review of the message says, sorted: errors, warnings, and "ok" where
// all is allowed.
func said(t *testing.T, root string, format reviewv1alpha1.MessageFormat, message string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "call.json")
	text := fmt.Sprintf(`{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":{"message":{"format":%q,"body":%s}}}`, format, message)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := review(t, root, append(slices.Clone(asAssistant), "-o", "json", file)...)
	var answer reviewv1alpha1.ToolCallReview
	if code == cli.ExitUsage || json.Unmarshal([]byte(out), &answer) != nil {
		return []string{"no answer"}
	}
	words := slices.Clone(answer.Response.Warnings)
	for _, r := range answer.Response.Results {
		words = append(append(words, r.Errors...), r.Warnings...)
	}
	if answer.Response.Allowed {
		words = append(words, "ok")
	}
	slices.Sort(words)
	return words
}

// driver runs a page's snippet on the provider's message and the answer to it.
const driver = `
import json, sys
given = json.load(sys.stdin)
ran, conversation = [], []

def run(name, arguments):
    ran.append(name)
    assert isinstance(arguments, dict), arguments
    return "done"

try:
    answer(conversation, given["body"], given["response"], run)
    failed = False
except ValueError:
    failed = True
print(json.dumps({"ran": ran, "conversation": conversation, "failed": failed}))
`

// outcome is what the driver prints.
type outcome struct {
	Ran          []string
	Conversation json.RawMessage
	Failed       bool
}

// The snippets run what is allowed and nothing else, answer each call once with the
// refused ones as Callgate says, and run nothing where verdicts and calls do not pair.
func TestProviderSnippetsObey(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	if exec.Command(python, "-c", "list(zip([], [], strict=True))").Run() != nil {
		t.Skip("python3 is older than 3.10")
	}
	root, _, blocks := documents(t)
	for name := range providers {
		t.Run(name, func(t *testing.T) {
			shown := page(t, blocks, name, "python")
			if len(shown) != 1 {
				t.Fatalf("%d snippets, want 1", len(shown))
			}
			review := answered(t, root, name)
			obeys(t, review, drive(t, python, shown[0].text, review))
			review.Response.Results = review.Response.Results[:1]
			if got := drive(t, python, shown[0].text, review); !got.Failed || len(got.Ran) > 0 {
				t.Errorf("with a verdict missing, ran %v (failed: %v)", got.Ran, got.Failed)
			}
		})
	}
}

func obeys(t *testing.T, review *reviewv1alpha1.ToolCallReview, got outcome) {
	t.Helper()
	var allowed []string
	for _, r := range review.Response.Results {
		if r.Allowed {
			allowed = append(allowed, r.Name)
		}
	}
	if len(allowed) == 0 || !slices.Equal(got.Ran, allowed) || got.Failed {
		t.Errorf("ran %v (failed: %v), want %v", got.Ran, got.Failed, allowed)
	}
	conversation := canonical(t, got.Conversation)
	for _, reply := range review.Response.Reply {
		if strings.Count(conversation, canonical(t, reply)) != 1 {
			t.Errorf("the conversation does not have the reply %s once: %s", reply, conversation)
		}
	}
	if n := strings.Count(conversation, `"done"`); n != len(allowed) {
		t.Errorf("the conversation has %d results of calls that ran, want %d: %s", n, len(allowed), conversation)
	}
}

func drive(t *testing.T, python, snippet string, review *reviewv1alpha1.ToolCallReview) outcome {
	t.Helper()
	given, err := json.Marshal(map[string]any{"body": review.Request.Message.Body, "response": review.Response})
	if err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	command := exec.CommandContext(t.Context(), python, "-c", snippet+driver)
	command.Stdin, command.Stderr = bytes.NewReader(given), &errOut
	out, err := command.Output()
	if err != nil {
		t.Fatalf("the snippet: %v\n%s", err, &errOut)
	}
	var got outcome
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// canonical is the text with its keys in order and without white space.
func canonical(t *testing.T, text json.RawMessage) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
