package cli

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/replay"
)

var hostileTexts = []string{
	"`", "``", "a`b", "|", `\|`, `\`, " padded ", "<script>", "</code>", "&amp;", "@team", "#1", "https://evil.example", "www.evil.example", "![x](y)",
	"*bold*", "a\nb", "\u202e", "---", "", "\x00", "a|b|c", strings.Repeat("|", 500), ":tada:",
}

// Whatever a model has chosen for a name, a table keeps its columns, and nothing in it is
// more than text.
func TestMarkdownShowsTextsAsTheyAre(t *testing.T) {
	r := replay.NewReport()
	for _, text := range hostileTexts {
		v := replay.Verdict{Code: text, Errors: []string{text, text, text, text}}
		r.Changes = append(r.Changes, &replay.Group{
			Change: replay.NewlyBlocked, Before: v, After: v, Count: 1, First: replay.Place{Log: text, Line: 1},
			Subject: replay.Subject{Phase: audit.PhaseCall, Namespace: text, ServiceAccountName: text, Tool: text},
		})
		r.Broken = append(r.Broken, replay.Broken{Log: text, Line: 1, Fault: "broken"})
	}
	r.BrokenLines = int64(len(r.Broken))
	rows := 0
	for line := range strings.Lines(string(replayMarkdown(r))) {
		if !strings.HasPrefix(line, "| newly") {
			if !strings.HasPrefix(line, "- ") {
				continue
			}
			checkInert(t, strings.TrimPrefix(line, "- "))
			continue
		}
		rows++
		if n := strings.Count(line, "|"); n != 8 || strings.Contains(line, `\|`) {
			t.Errorf("a row has %d separators: %s", n, line)
		}
		checkInert(t, line)
	}
	if rows != len(hostileTexts) {
		t.Errorf("%d rows of %d", rows, len(hostileTexts))
	}
}

// checkInert looks for what could mean something outside of code spans.
func checkInert(t *testing.T, line string) {
	t.Helper()
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 {
		t.Errorf("a code span has no end: %s", line)
	}
	for i := 0; i < len(parts); i += 2 {
		outside := strings.NewReplacer("<br>", "", "<code>", "", "</code>", "").Replace(parts[i])
		if strings.ContainsAny(outside, "<>@[]*_`\\") || strings.Contains(outside, "www.") || strings.Contains(outside, "://") {
			t.Errorf("%q means something in %s", outside, line)
		}
	}
}

func TestALongListIsCutAndCounted(t *testing.T) {
	r := replay.NewReport()
	for i := range maxRows + 7 {
		r.Changes = append(r.Changes, &replay.Group{Change: replay.Changed, Subject: replay.Subject{Phase: audit.PhaseCall, Tool: fmt.Sprint(i)}})
	}
	r.MoreChanges = 3
	text := string(replayMarkdown(r))
	if strings.Count(text, "| changed") != maxRows || !strings.Contains(text, "7 more kinds of changes") || !strings.Contains(text, "3 verdicts beyond") || len(text) > 65_536 {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
}

func TestJUnitOfHostileTextsIsXML(t *testing.T) {
	r := replay.NewReport()
	for _, text := range hostileTexts {
		v := replay.Verdict{Code: text, Errors: []string{text}}
		r.Changes = append(r.Changes, &replay.Group{Change: replay.Changed, Before: v, After: v, Subject: replay.Subject{Phase: audit.PhaseCall, Tool: text}})
	}
	text, err := (&replayOptions{}).junit(r)
	if err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal(text, &back); err != nil || len(back.Suites) != 1 || len(back.Suites[0].Cases) != len(hostileTexts)+1 {
		t.Errorf("%v: %+v", err, back)
	}
}

// A log that cannot be read to its end is no report.
func TestALogThatBreaksOffIsNoReport(t *testing.T) {
	objects, err := os.ReadFile("testdata/objects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"work/objects.yaml": {Data: objects}, "work/dir/x": {}}
	out, errOut, code := runIn(t, files, nil, "", "replay", "--log", "dir", "-f", "objects.yaml")
	if code != ExitUsage || out != "" || !strings.Contains(errOut, "reading the log: dir") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
}
