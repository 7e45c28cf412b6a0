package cli

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/replay"
	"github.com/callgate/callgate/internal/shown"
)

func (o *replayOptions) print(d Deps, r *replay.Report) error {
	var text []byte
	var err error
	switch o.output {
	case outputJSON:
		text, err = encodeIndented(r)
	case outputJUnit:
		text, err = o.junit(r)
	case outputMarkdown:
		text = replayMarkdown(r)
	default:
		text = replayText(newPrinter(d), r)
	}
	if err != nil {
		return err
	}
	_, err = d.Out.Write(text)
	return err
}

// changeWords are the changes as people read them.
var changeWords = map[replay.Change]string{
	replay.NewlyBlocked: "newly blocked", replay.NewlyAllowed: "newly allowed", replay.Changed: "changed",
}

// skipWords say why something is skipped.
var skipWords = map[replay.Skip]string{
	replay.SkipDigest:      "arguments kept as digests only",
	replay.SkipCut:         "too large to be kept whole",
	replay.SkipAccess:      "nobody tells what RBAC would say",
	replay.SkipTenantLabel: "nobody tells the namespace's label",
	replay.SkipValidator:   "its validator was not asked then",
}

func replayText(p *printer, r *replay.Report) []byte {
	var b bytes.Buffer
	for _, g := range r.Changes {
		mark, colour := p.block, p.red
		switch g.Change {
		case replay.NewlyAllowed:
			mark, colour = p.allow, p.yellow
		case replay.Changed:
			mark, colour = "~", p.yellow
		}
		fmt.Fprintf(&b, "%s%s%s %s  %s\n", colour, mark, p.reset, changeWords[g.Change], subjectOf(g))
		fmt.Fprintf(&b, "    was %s\n    now %s\n", verdictWords(&g.Before), verdictWords(&g.After))
		if g.MoreErrors > 0 {
			fmt.Fprintf(&b, "    %d more errors are left out\n", g.MoreErrors)
		}
		fmt.Fprintf(&b, "    %s, first at %s\n", times(g.Count), placeOf(&g.First))
	}
	if r.MoreChanges > 0 {
		fmt.Fprintf(&b, "%d more verdicts changed in other ways than these\n", r.MoreChanges)
	}
	for _, line := range asides(r) {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "%s\n", summary(r))
	return b.Bytes()
}

// subjectOf says what a change is about, in words.
func subjectOf(g *replay.Group) string {
	who := "by " + shown.Escape(g.Namespace+"/"+g.ServiceAccountName)
	if g.Phase == audit.PhaseOffer {
		return "an offer " + who
	}
	return fmt.Sprintf("%s of %s %s", shown.Escape(string(g.Phase)), quoteEmpty(g.Tool), who)
}

func verdictWords(v *replay.Verdict) string {
	text := shown.Escape(v.Code)
	if v.WouldBlock {
		text += ", a policy without Deny would block it"
	}
	for _, e := range v.Errors {
		text += "  " + shown.Escape(e)
	}
	return text
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func placeOf(p *replay.Place) string {
	text := fmt.Sprintf("%s:%d", shown.Escape(p.Log), p.Line)
	if p.UID != "" {
		text += " (uid " + shown.Name(p.UID) + ", " + p.Time.UTC().Format(time.RFC3339) + ")"
	}
	return text
}

// asides say what was not judged.
func asides(r *replay.Report) (lines []string) {
	for _, skip := range slices.Sorted(maps.Keys(r.SkippedFor)) {
		lines = append(lines, fmt.Sprintf("skipped %d: %s", r.SkippedFor[skip], skipWords[skip]))
	}
	for _, b := range r.Broken {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", shown.Escape(b.Log), b.Line, b.Fault))
	}
	if more := r.BrokenLines - int64(len(r.Broken)); more > 0 {
		lines = append(lines, fmt.Sprintf("%d more lines are no records", more))
	}
	if r.Lost > 0 {
		lines = append(lines, fmt.Sprintf("records that were lost before they were written, as the log says itself: %d", r.Lost))
	}
	return lines
}

func summary(r *replay.Report) string {
	parts := []string{
		fmt.Sprintf("%d newly blocked", r.NewlyBlocked), fmt.Sprintf("%d newly allowed", r.NewlyAllowed),
		fmt.Sprintf("%d changed", r.Changed), fmt.Sprintf("%d unchanged", r.Unchanged), fmt.Sprintf("%d skipped", r.Skipped),
	}
	return fmt.Sprintf("%d verdicts of %d reviews: %s", r.Verdicts, r.Records, strings.Join(parts, ", "))
}
