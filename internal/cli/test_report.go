package cli

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/internal/casefile"
	"github.com/callgate/callgate/internal/shown"
)

// report is what a run of cases came to.
type report struct {
	outcomes []outcome
	coverage casefile.Summary
	// list says that what is not touched is listed.
	list bool
	// skipped is how many cases --run left out.
	skipped int
}

func (r *report) failed() (n int) {
	for i := range r.outcomes {
		if r.outcomes[i].failed() {
			n++
		}
	}
	return n
}

func (r *report) write(d Deps, format string) error {
	var text []byte
	var err error
	switch format {
	case outputJSON:
		text, err = r.json()
	case outputJUnit:
		text, err = r.junit()
	default:
		text = r.text(newPrinter(d))
	}
	if err != nil {
		return err
	}
	_, err = d.Out.Write(text)
	return err
}

func (r *report) text(p *printer) []byte {
	var b bytes.Buffer
	for i := range r.outcomes {
		o := &r.outcomes[i]
		mark, colour := p.allow, p.green
		if o.failed() {
			mark, colour = p.block, p.red
		}
		fmt.Fprintf(&b, "%s%s%s %s  %s\n", colour, mark, p.reset, shown.Escape(o.Name), o.at)
		for _, d := range o.differences {
			fmt.Fprintf(&b, "    %s\n      %swant%s %s\n      %sgot%s  %s\n", shown.Escape(d.Path),
				p.green, p.reset, shown.Escape(d.Want), p.red, p.reset, nothing(shown.Escape(d.Got)))
		}
		if o.failed() && o.answer.Refused != "" {
			fmt.Fprintf(&b, "    there was no verdict: %s\n", shown.Escape(o.answer.Refused))
		}
	}
	failed := r.failed()
	verdict := p.green + "passed" + p.reset
	if failed > 0 || len(r.outcomes) == 0 {
		verdict = p.red + "failed" + p.reset
	}
	fmt.Fprintf(&b, "%s: %d of %d cases passed", verdict, len(r.outcomes)-failed, len(r.outcomes))
	if r.skipped > 0 {
		fmt.Fprintf(&b, ", %d left out by --run", r.skipped)
	}
	fmt.Fprintf(&b, "; they touch %s\n", r.touched())
	if r.list {
		r.untouched(&b)
	}
	return b.Bytes()
}

func nothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func (r *report) touched() string {
	c := &r.coverage
	return fmt.Sprintf("%d of %d tools, %d of %d codes, %d of %d rules",
		c.Tools.Touched, c.Tools.Whole, c.Codes.Touched, c.Codes.Whole, c.Rules.Touched, c.Rules.Whole)
}

func (r *report) untouched(b *bytes.Buffer) {
	for _, part := range []struct {
		what string
		of   casefile.Part
	}{{"tool", r.coverage.Tools}, {"code", r.coverage.Codes}, {"rule", r.coverage.Rules}} {
		for _, name := range part.of.Untouched {
			fmt.Fprintf(b, "no case touches the %s %s\n", part.what, shown.Escape(name))
		}
	}
}

// testReport is the JSON of a run.
type testReport struct {
	Passed   int              `json:"passed"`
	Failed   int              `json:"failed"`
	Skipped  int              `json:"skipped"`
	Cases    []testedCase     `json:"cases"`
	Coverage casefile.Summary `json:"coverage"`
}

type testedCase struct {
	Name        string           `json:"name"`
	File        string           `json:"file"`
	Line        int              `json:"line"`
	Passed      bool             `json:"passed"`
	Differences []testDifference `json:"differences"`
	// Answer is the response of the review; absent where there is none.
	Answer any `json:"answer,omitempty"`
	// Refused says why there is no response.
	Refused string `json:"refused,omitempty"`
}

type testDifference struct {
	Path string `json:"path"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

func (r *report) json() ([]byte, error) {
	out := testReport{Failed: r.failed(), Skipped: r.skipped, Cases: []testedCase{}, Coverage: r.coverage}
	out.Passed = len(r.outcomes) - out.Failed
	for i := range r.outcomes {
		o := &r.outcomes[i]
		c := testedCase{Name: o.Name, File: o.at.File, Line: o.at.Line, Passed: !o.failed(), Differences: []testDifference{}, Refused: o.answer.Refused}
		if o.answer.Response != nil {
			c.Answer = o.answer.Response
		}
		for _, d := range o.differences {
			c.Differences = append(c.Differences, testDifference(d))
		}
		out.Cases = append(out.Cases, c)
	}
	return encodeIndented(out)
}

func (r *report) junit() ([]byte, error) {
	suite := junitSuite{Name: "callgate test"}
	var whole time.Duration
	for i := range r.outcomes {
		o := &r.outcomes[i]
		whole += o.took
		c := junitCase{Name: shown.Escape(o.Name), Classname: shown.Escape(o.at.File), File: shown.Escape(o.at.File), Time: seconds(o.took)}
		if o.failed() {
			var lines []string
			for _, d := range o.differences {
				lines = append(lines, fmt.Sprintf("%s: want %s, got %s", d.Path, d.Want, nothing(d.Got)))
			}
			text := shown.Escape(strings.Join(lines, "; "))
			c.Failure = &junitFailure{Message: text, Type: "difference", Text: text}
		}
		suite.add(c)
	}
	suite.Time = seconds(whole)
	return suite.encode()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
