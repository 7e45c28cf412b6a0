package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/replay"
	"github.com/callgate/callgate/internal/shown"
)

const (
	// maxRows keeps a comment below what GitHub takes, 65,536 characters.
	maxRows = 50
	// maxCellErrors is how many errors a cell has.
	maxCellErrors = 3
	// maxCell bounds a text of a cell, in code points.
	maxCell = 80
)

// replayMarkdown is a comment for a pull request: what counts first, and a table.
func replayMarkdown(r *replay.Report) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### Callgate replay: %d newly blocked, %d newly allowed, %d changed\n\n", r.NewlyBlocked, r.NewlyAllowed, r.Changed)
	fmt.Fprintf(&b, "%d verdicts of %d recorded reviews were judged again: %d unchanged, %d skipped.\n", r.Verdicts, r.Records, r.Unchanged, r.Skipped)
	if len(r.Changes) > 0 {
		b.WriteString("\n| change | times | who | what | was | would be | first |\n|---|--:|---|---|---|---|---|\n")
	}
	listed := r.Changes[:min(len(r.Changes), maxRows)]
	for _, g := range listed {
		what := "an offer"
		if g.Phase != audit.PhaseOffer {
			what = string(g.Phase) + " of " + code(g.Tool)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s |\n", changeWords[g.Change], g.Count, code(g.Namespace+"/"+g.ServiceAccountName), what,
			cell(&g.Before), cell(&g.After), code(fmt.Sprintf("%s:%d", g.First.Log, g.First.Line)))
	}
	if more := len(r.Changes) - len(listed); more > 0 || r.MoreChanges > 0 {
		fmt.Fprintf(&b, "\n%d more kinds of changes are not listed here, and %d verdicts beyond those.\n", more, r.MoreChanges)
	}
	for i, line := range asides(r) {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "- %s\n", plain(line))
	}
	return b.Bytes()
}

// cell is a verdict: its code and the first errors.
func cell(v *replay.Verdict) string {
	text := code(v.Code)
	if v.WouldBlock {
		text += " (a policy without Deny would block it)"
	}
	for i, e := range v.Errors {
		if i == maxCellErrors {
			return fmt.Sprintf("%s<br>and %d more", text, len(v.Errors)-i)
		}
		text += "<br>" + code(e)
	}
	return text
}

// code shows a text as it is, whatever a model has put into it. The text of a code span
// that could end it, or the cell, stands in the same element with every character that
// means something to Markdown or HTML written as a number: as such it means nothing.
// Neither lets anybody be mentioned, nor anything be linked.
func code(s string) string {
	s = shown.Escape(shown.Cut(s, maxCell))
	if s == "" {
		return "(empty)"
	}
	if !strings.ContainsAny(s, "`|\\") && strings.TrimSpace(s) == s {
		return "`" + s + "`"
	}
	return "<code>" + numbered(s) + "</code>"
}

// plain is a line of our own with texts of others in it.
func plain(s string) string { return numbered(s) }

// numbered writes all ASCII as character references but what stands for itself wherever it
// is.
func numbered(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 && !isPlain(r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isPlain(r rune) bool {
	return strings.ContainsRune(" ,;-()", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
