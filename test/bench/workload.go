package main

import (
	"embed"
	"fmt"

	"github.com/callgate/callgate/internal/rawjson"
)

//go:embed workloads/*.json
var workloads embed.FS

// varied is the workload of generated calls; the others repeat one call.
const varied = "varied"

var workloadNames = []string{"small", "medium", "large", varied}

// outcome is what a set's calls have in common.
type outcome string

const (
	fit       outcome = "valid"
	unfit     outcome = "invalid"
	alternate outcome = "half valid" // one fits, the next does not
)

var outcomes = []outcome{fit, unfit, alternate}

// form is how a call's arguments arrive.
type form string

const (
	// asBytes is the JSON text of the arguments.
	asBytes form = "bytes"
	// asText is that text inside a JSON string.
	asText form = "text"
)

var forms = []form{asBytes, asText}

// set is calls that are measured together.
type set struct {
	workload string
	outcome  outcome
	form     form
	schema   []byte
	calls    [][]byte
	fits     []bool // by call: what a judge must find
}

func (s *set) String() string { return fmt.Sprintf("%s, %s, %s", s.workload, s.outcome, s.form) }

// loadSets gives all sets: the varied ones of n calls each, the others of one.
func loadSets(n int) ([]*set, error) {
	var sets []*set
	for _, name := range workloadNames {
		of, err := load(name, n)
		if err != nil {
			return nil, err
		}
		for _, s := range of {
			sets = append(sets, s, s.inText())
		}
	}
	return sets, nil
}

// load gives a workload's sets, as bytes.
func load(name string, n int) ([]*set, error) {
	if name == varied {
		schema, err := workloads.ReadFile("workloads/medium.schema.json")
		if err != nil {
			return nil, err
		}
		return variedSets(schema, n), nil
	}
	var files [3][]byte
	for i, kind := range []string{"schema", "valid", "invalid"} {
		text, err := workloads.ReadFile("workloads/" + name + "." + kind + ".json")
		if err != nil {
			return nil, err
		}
		files[i] = text
	}
	schema, good, bad := files[0], files[1], files[2]
	return []*set{
		{workload: name, outcome: fit, form: asBytes, schema: schema, calls: [][]byte{good}, fits: []bool{true}},
		{workload: name, outcome: unfit, form: asBytes, schema: schema, calls: [][]byte{bad}, fits: []bool{false}},
	}, nil
}

func variedSets(schema []byte, n int) []*set {
	good, bad := corpus(n)
	sets := make([]*set, 0, len(outcomes))
	for _, o := range outcomes {
		s := &set{workload: varied, outcome: o, form: asBytes, schema: schema}
		for i := range good {
			if fits := o == fit || o == alternate && i%2 == 0; fits {
				s.calls, s.fits = append(s.calls, good[i]), append(s.fits, true)
			} else {
				s.calls, s.fits = append(s.calls, bad[i]), append(s.fits, false)
			}
		}
		sets = append(sets, s)
	}
	return sets
}

// inText is the same set with each call inside a JSON string.
func (s *set) inText() *set {
	out := *s
	out.form, out.calls = asText, make([][]byte, len(s.calls))
	for i, call := range s.calls {
		out.calls[i] = rawjson.AppendString(nil, string(call))
	}
	return &out
}

// meanSize is the mean length of a call in bytes.
func (s *set) meanSize() int {
	sum := 0
	for _, call := range s.calls {
		sum += len(call)
	}
	return sum / len(s.calls)
}
