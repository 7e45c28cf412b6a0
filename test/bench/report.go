package main

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// report turns what was measured into the document.
type report struct {
	config      config
	sets        []*set
	table       *table
	differences []difference
	skipped     string // why Node is left out; "": it is not
	versions    []string
	machine     string
}

const preface = `<!-- Written by test/bench; do not edit. -->

# The engine beside its peers

What it costs to take the bytes of a call's arguments and say whether they fit the
tool's schema. The figures below are of one run on one machine, which other work may
have shared: read the ratios, which are taken within the run, and not the times.
`

const method = `
## How it was measured

- small, medium and large repeat one call each (%s bytes). Varied is a
  corpus of %s generated calls of the medium schema, %s bytes in the mean: optional
  properties absent at random, keys in random order, texts with escapes and beyond ASCII.
  Its invalid calls are variants of the same calls, with one or two faults of different
  kinds; in the half valid corpus, each valid call is followed by an invalid one.
- "bytes" are the JSON text of the arguments. "text" is the same text inside a JSON
  string, as providers send it: unquoting is part of the work. The Go peers unquote by
  encoding/json, Callgate as the product does.
- %d rounds; in each, every arm runs for at least %s on every set, in whole passes, all
  arms on one set before the next. Times are the median of the rounds with the least and
  the most; ratios are of medians, to Callgate's.
- Before, every arm ran on every set for %s.
- One call at a time, on one goroutine; the garbage collector runs as it does by default.
- Allocations are means over a set, the least of %d counts.
- Callgate gives every violation with its location, rendered for people, and so does
  more on an invalid call than arms that return a tree of errors or the first one.
  "Callgate" has the options undeclared: FollowSchema and integers by value, which is
  plain JSON Schema; the default options are a row of their own.
- A complete library passes at least 99 %% of the required Draft 7 cases of
  JSON-Schema-Test-Suite and gives every error with its location: santhosh-tekuri and
  kaptinlin. google/jsonschema-go stops at the first error, a plain string: it is shown and
  does not count. The best is the faster one on each set.
- Ajv runs compiled, with allErrors, in a process of its own, which measures itself, in the
  same rounds over the same calls: buffer to string, JSON.parse, validate.
`

// markdown is the whole document.
func (r *report) markdown() []byte {
	var b bytes.Buffer
	b.WriteString(preface)
	r.writeRun(&b)
	r.writeBounds(&b)
	for _, f := range forms {
		for _, o := range outcomes {
			r.writeTimes(&b, f, o)
		}
	}
	for _, f := range forms {
		r.writeMemory(&b, f)
	}
	r.writeAgreement(&b)
	r.writeMethod(&b)
	return b.Bytes()
}

func (r *report) writeRun(b *bytes.Buffer) {
	fmt.Fprintf(b, "\nMade by `%s` on %s, with\n%s.\n", r.config.command, r.machine, strings.Join(r.versions, ",\n"))
	if r.config.quick {
		b.WriteString("\n**A quick run, which shows that the harness works: its figures mean nothing.**\n")
	}
	if r.skipped != "" {
		fmt.Fprintf(b, "\n**Node was not measured: %s.**\n", r.skipped)
	}
}

func (r *report) writeBounds(b *bytes.Buffer) {
	b.WriteString("\n## The bounds\n\n")
	fmt.Fprintf(b, "Peers return what is wrong as a tree or a list of parts. So what is held against them is\n\"%s\": every fault found and placed. What putting them into\nwords costs on top is in the tables of times, under \"%s\".\n\n", armLocated, armCallgate)
	row(b, append([]string{"bound"}, workloadNames...))
	rule(b, len(workloadNames), "---")
	for _, bound := range r.bounds() {
		cells := []string{bound.text}
		for _, c := range bound.cells {
			cells = append(cells, c.String())
		}
		row(b, cells)
	}
}

// writeTimes writes the table of one form and outcome: nanoseconds a call, and
// the ratio to Callgate.
func (r *report) writeTimes(b *bytes.Buffer, f form, o outcome) {
	sets := r.column(f, o)
	fmt.Fprintf(b, "\n## Time: %s calls as %s\n\n", o, f)
	head := []string{"ns a call (least–most)"}
	for _, s := range sets {
		head = append(head, s.workload, "×")
	}
	row(b, head)
	rule(b, 2*len(sets), "--:")
	for _, arm := range r.table.arms {
		cells := []string{arm}
		for _, s := range sets {
			if sp, ok := r.table.spread(arm, s); ok {
				times, _ := r.table.ratio(arm, armCallgate, s)
				cells = append(cells, sp.String(), factor(times))
			}
		}
		if len(cells) > 1 {
			row(b, cells)
		}
	}
	if r.skipped != "" {
		fmt.Fprintf(b, "| %s | not measured: %s |%s\n", armNode, r.skipped, strings.Repeat(" |", 2*len(sets)-1))
	}
}

func (r *report) writeMemory(b *bytes.Buffer, f form) {
	fmt.Fprintf(b, "\n## Memory: calls as %s\n\n", f)
	head := []string{"allocations / bytes a call"}
	var sets []*set
	for _, o := range []outcome{fit, unfit} {
		for _, s := range r.column(f, o) {
			sets = append(sets, s)
			head = append(head, fmt.Sprintf("%s, %s", s.workload, o))
		}
	}
	row(b, head)
	rule(b, len(sets), "--:")
	for _, arm := range r.table.arms {
		cells := []string{arm}
		for _, s := range sets {
			if m, ok := r.table.memory[point{arm, s}]; ok {
				cells = append(cells, amount(m.allocations)+" / "+amount(m.bytes))
			}
		}
		if len(cells) > 1 {
			row(b, cells)
		}
	}
}

func (r *report) writeAgreement(b *bytes.Buffer) {
	b.WriteString("\n## Agreement\n\nBefore measuring, every arm that judges judged every call.\n")
	if len(r.differences) == 0 {
		b.WriteString("All found each valid call to be valid and each invalid one to be invalid.\n")
		return
	}
	b.WriteString("Callgate and santhosh-tekuri/jsonschema agreed on all of them; these did not:\n\n")
	for _, d := range r.differences {
		fmt.Fprintf(b, "- %s\n", d)
	}
}

func (r *report) writeMethod(b *bytes.Buffer) {
	var sizes []string
	for _, name := range workloadNames[:len(workloadNames)-1] {
		sizes = append(sizes, thousands(float64(r.set(name, asBytes, fit).meanSize())))
	}
	corpus := r.set(varied, asBytes, fit)
	fmt.Fprintf(b, method, strings.Join(sizes, ", "), thousands(float64(len(corpus.calls))),
		thousands(float64(corpus.meanSize())), r.config.rounds, r.config.slice, r.config.warm, memoryPasses)
}

// set finds a set, or gives nil: not every workload has every outcome.
func (r *report) set(workload string, f form, o outcome) *set {
	for _, s := range r.sets {
		if s.workload == workload && s.form == f && s.outcome == o {
			return s
		}
	}
	return nil
}

func (r *report) column(f form, o outcome) []*set {
	var out []*set
	for _, name := range workloadNames {
		if s := r.set(name, f, o); s != nil {
			out = append(out, s)
		}
	}
	return out
}

func (s spread) String() string {
	return fmt.Sprintf("%s (%s–%s)", thousands(s.median), thousands(s.least), thousands(s.most))
}

func factor(times float64) string {
	switch {
	case times < 0.995:
		return fmt.Sprintf("%.2f", times)
	case times < 9.95:
		return fmt.Sprintf("%.1f", times)
	}
	return thousands(times)
}

// thousands writes a whole number with commas between groups of three digits.
func thousands(v float64) string {
	s := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func row(b *bytes.Buffer, cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }

func rule(b *bytes.Buffer, columns int, mark string) {
	fmt.Fprintf(b, "|---|%s\n", strings.Repeat(mark+"|", columns))
}
