package cli

import (
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/replay"
	"github.com/callgate/callgate/internal/shown"
)

// The elements of a report as the Ant task of JUnit made it, which CI systems read.
type (
	replaySuites struct {
		XMLName xml.Name      `xml:"testsuites"`
		Suites  []replaySuite `xml:"testsuite"`
	}
	replaySuite struct {
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Cases    []replayCase `xml:"testcase"`
	}
	replayCase struct {
		Name      string         `xml:"name,attr"`
		Classname string         `xml:"classname,attr"`
		Time      string         `xml:"time,attr"`
		Failure   *junitFailure  `xml:"failure"`
		Skipped   *replaySkipped `xml:"skipped"`
		Out       string         `xml:"system-out,omitempty"`
	}
	replaySkipped struct {
		Message string `xml:"message,attr"`
	}
)

// noTime stands for what was not measured, in seconds.
const noTime = "0.000000"

// junit has a case for each different change, one for all that is unchanged, and one for
// each reason to skip. A change is a failure if --fail-on names it, or if there is no
// --fail-on.
func (o *replayOptions) junit(r *replay.Report) ([]byte, error) {
	suite := replaySuite{Name: "callgate replay", Time: noTime}
	add := func(c replayCase) {
		c.Classname, c.Time = "callgate.replay", noTime
		suite.Tests++
		if c.Failure != nil {
			suite.Failures++
		}
		if c.Skipped != nil {
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	add(replayCase{Name: fmt.Sprintf("verdicts unchanged: %d", r.Unchanged)})
	for _, g := range r.Changes {
		text := strings.Join([]string{
			"was " + verdictWords(&g.Before), "now " + verdictWords(&g.After), times(g.Count) + ", first at " + placeOf(&g.First),
		}, "\n")
		c := replayCase{Name: changeWords[g.Change] + ": " + subjectOf(g)}
		if len(o.failOn) == 0 || o.fails(g.Change, g.Count) {
			c.Failure = &junitFailure{Message: "now " + verdictWords(&g.After), Type: string(g.Change), Text: text}
		} else {
			c.Out = text
		}
		add(c)
	}
	for _, skip := range slices.Sorted(maps.Keys(r.SkippedFor)) {
		add(replayCase{Name: fmt.Sprintf("verdicts skipped: %d", r.SkippedFor[skip]), Skipped: &replaySkipped{Message: skipWords[skip]}})
	}
	if r.BrokenLines > 0 {
		message := fmt.Sprintf("%d in all, the first at %s:%d", r.BrokenLines, shown.Escape(r.Broken[0].Log), r.Broken[0].Line)
		add(replayCase{Name: "lines that are no records", Skipped: &replaySkipped{Message: message}})
	}
	body, err := xml.MarshalIndent(replaySuites{Suites: []replaySuite{suite}}, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(body, '\n')...), nil
}
