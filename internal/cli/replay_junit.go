package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/replay"
	"github.com/callgate/callgate/internal/shown"
)

// noTime stands for what was not measured, in seconds.
const noTime = "0.000000"

// junit has a case for each different change, one for all that is unchanged, and one for
// each reason to skip. A change is a failure if --fail-on names it, or if there is no
// --fail-on.
func (o *replayOptions) junit(r *replay.Report) ([]byte, error) {
	suite := junitSuite{Name: "callgate replay", Time: noTime}
	add := func(c junitCase) {
		c.Classname, c.Time = "callgate.replay", noTime
		suite.add(c)
	}
	add(junitCase{Name: fmt.Sprintf("verdicts unchanged: %d", r.Unchanged)})
	for _, g := range r.Changes {
		text := strings.Join([]string{
			"was " + verdictWords(&g.Before), "now " + verdictWords(&g.After), times(g.Count) + ", first at " + placeOf(&g.First),
		}, "\n")
		c := junitCase{Name: changeWords[g.Change] + ": " + subjectOf(g)}
		if len(o.failOn) == 0 || o.fails(g.Change, g.Count) {
			c.Failure = &junitFailure{Message: "now " + verdictWords(&g.After), Type: string(g.Change), Text: text}
		} else {
			c.Out = text
		}
		add(c)
	}
	for _, skip := range slices.Sorted(maps.Keys(r.SkippedFor)) {
		add(junitCase{Name: fmt.Sprintf("verdicts skipped: %d", r.SkippedFor[skip]), Skipped: &junitSkipped{Message: skipWords[skip]}})
	}
	if r.BrokenLines > 0 {
		message := fmt.Sprintf("%d in all, the first at %s:%d", r.BrokenLines, shown.Escape(r.Broken[0].Log), r.Broken[0].Line)
		add(junitCase{Name: "lines that are no records", Skipped: &junitSkipped{Message: message}})
	}
	return suite.encode()
}
