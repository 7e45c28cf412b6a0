package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A quick run goes from the workloads to the document, without Node.
func TestQuickRunWritesTheDocument(t *testing.T) {
	out := filepath.Join(t.TempDir(), "engine.md")
	c, err := parse([]string{"-quick", "-out", out}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if err := run(t.Context(), c, &log); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	for _, want := range []string{
		"Made by `go run . -quick -out ", "**A quick run", "**Node was not measured: not asked for.**", "| " + armNode + " | not measured: not asked for |",
		"santhosh-tekuri/jsonschema v6.", "kaptinlin/jsonschema v0.", "google/jsonschema-go v0.", "go-json-experiment jsontext v0.",
		"## The bounds", "## Agreement", "All found each valid call to be valid",
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the document does not have %q", want)
		}
	}
	for _, a := range goArms() {
		// Each arm takes at least one form, and has times and memory there.
		if n := strings.Count(doc, "\n| "+a.name+" | "); n < 4 {
			t.Errorf("the document has %d rows of %s", n, a.name)
		}
	}
	wellFormed(t, doc)
}

// wellFormed holds every table to the columns of its head.
func wellFormed(t *testing.T, doc string) {
	t.Helper()
	columns := 0
	for _, line := range strings.Split(doc, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(line, "|")
		if columns == 0 {
			columns = n
		}
		if n != columns {
			t.Errorf("%d bars where the table's head has %d: %s", n, columns, line)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "%!"} {
		if strings.Contains(doc, bad) {
			t.Errorf("the document has %q", bad)
		}
	}
}

func TestCorpusIsTheSameEveryTime(t *testing.T) {
	good, bad := corpus(300)
	again, badAgain := corpus(300)
	first, _ := corpus(20)
	for i := range good {
		if !bytes.Equal(good[i], again[i]) || !bytes.Equal(bad[i], badAgain[i]) {
			t.Fatalf("call %d differs from one run to the next", i)
		}
		if i < len(first) && !bytes.Equal(good[i], first[i]) {
			t.Fatalf("call %d differs in a smaller corpus", i)
		}
	}
}

func TestCorpusIsVaried(t *testing.T) {
	const n = 2000
	good, bad := corpus(n)
	distinct := map[string]bool{}
	keys := map[string]int{}
	size, escapes, beyond := 0, 0, 0
	for i := range good {
		size += len(good[i])
		distinct[string(good[i])], distinct[string(bad[i])] = true, true
		if bytes.ContainsRune(good[i], '\\') {
			escapes++
		}
		if bytes.ContainsFunc(good[i], func(r rune) bool { return r > 0x7f }) {
			beyond++
		}
		var members map[string]any
		if err := json.Unmarshal(good[i], &members); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		for key := range members {
			keys[key]++
		}
	}
	if mean := size / n; mean < 440 || mean > 460 {
		t.Errorf("a call has %d bytes in the mean, want about 450", mean)
	}
	if len(distinct) != 2*n {
		t.Errorf("%d distinct calls of %d", len(distinct), 2*n)
	}
	if escapes < n/2 || beyond < n/4 {
		t.Errorf("%d calls with escapes and %d beyond ASCII, of %d", escapes, beyond, n)
	}
	for _, required := range []string{"owner", "repo", "title", "state"} {
		if keys[required] != n {
			t.Errorf("%d of %d calls have %s", keys[required], n, required)
		}
		delete(keys, required)
	}
	for key, have := range keys {
		if have < n/5 || have > n*9/10 {
			t.Errorf("%d of %d calls have %s: it is not optional", have, n, key)
		}
	}
	if len(keys) != 9 {
		t.Errorf("%d optional properties, want 9", len(keys))
	}
}

// Every kind of fault is one by itself: the oracle finds it.
func TestEverySpoilerSpoils(t *testing.T) {
	sets, err := load("medium", 0)
	if err != nil {
		t.Fatal(err)
	}
	oracles, err := prepareSanthosh(sets[0].schema)
	if err != nil {
		t.Fatal(err)
	}
	fits := oracles[asBytes]
	good, _ := corpus(1)
	if !fits(good[0]) {
		t.Fatalf("the generated call does not fit: %s", good[0])
	}
	g := newGenerator()
	for i, spoil := range spoilers {
		for range 50 {
			call := g.call()
			spoil(g, &call)
			if text := g.style().encode(nil, call); fits(text) {
				t.Errorf("spoiler %d leaves a call that fits: %s", i, text)
			}
		}
	}
}

func TestTextIsTheCallInsideAString(t *testing.T) {
	sets, err := loadSets(10)
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) != 2*(3*2+3) {
		t.Fatalf("%d sets", len(sets))
	}
	for i := 0; i < len(sets); i += 2 {
		for j, call := range sets[i].calls {
			var text string
			if err := json.Unmarshal(sets[i+1].calls[j], &text); err != nil || text != string(call) {
				t.Errorf("%s: call %d inside a string is another: %v", sets[i], j, err)
			}
		}
	}
}

func TestOracleStopsTheRun(t *testing.T) {
	s := &set{workload: varied, outcome: fit, form: asBytes, calls: [][]byte{nil, nil}}
	for arm, stops := range map[string]bool{armCallgate: true, armDefaults: true, armLocated: true, armSanthosh: true, armKaptinlin: false, armNode: false} {
		if err := oracle([]difference{{arm, s, 1}}); (err != nil) != stops {
			t.Errorf("%s judges otherwise: %v", arm, err)
		}
	}
	if n := count([]bool{true, true, false}, []bool{true, false, false}, false); n != 1 {
		t.Errorf("%d verdicts counted as wrong, want 1", n)
	}
}

// fake is a report of made-up medians on the varied calls.
func fake(times map[string]float64, allocations float64) (*report, *set) {
	s := &set{workload: varied, outcome: fit, form: asBytes}
	r := &report{sets: []*set{s}, table: &table{
		roles:  map[string]role{armSanthosh: complete, armKaptinlin: complete},
		times:  map[point][]float64{},
		memory: map[point]memory{{armCallgate, s}: {allocations: allocations}},
	}}
	for _, arm := range []string{armCallgate, armScan, armSanthosh, armKaptinlin, armNode} {
		if v, ok := times[arm]; ok {
			r.table.arms = append(r.table.arms, arm)
			r.table.times[point{arm, s}] = []float64{v * 2, v / 2, v}
		}
	}
	return r, s
}

func TestBounds(t *testing.T) {
	times := map[string]float64{armCallgate: 100, armScan: 60, armSanthosh: 1520, armKaptinlin: 4000, armNode: 299.9}
	r, s := fake(times, 0)
	slow, slowSet := fake(map[string]float64{armCallgate: 100, armScan: 55, armSanthosh: 2000, armKaptinlin: 999.9}, 0.001)
	for name, c := range map[string]struct {
		got  cell
		want string
	}{
		"faster than the best":           {r.againstBest(armCallgate)(s), "holds: 15.2×"},
		"not quite the bound":            {slow.againstBest(armCallgate)(slowSet), "**does not hold: 9.9×**"},
		"rounded down":                   {r.againstNode(armCallgate)(s), "**does not hold: 2.9×**"},
		"without Node":                   {slow.againstNode(armCallgate)(slowSet), "not measured"},
		"within the scan":                {r.againstScan(armCallgate, s), "holds: 1.67×"},
		"beyond the scan":                {slow.againstScan(armCallgate, slowSet), "**does not hold: 1.82×**"},
		"nothing allocated":              {r.allocations(armCallgate, s), "holds: 0"},
		"something allocated, sometimes": {slow.allocations(armCallgate, slowSet), "**does not hold: < 0.01**"},
	} {
		if got := c.got.String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if n := len(r.bounds()); n != 2*6+4 {
		t.Errorf("%d bounds, want 16", n)
	}
}

func TestSpread(t *testing.T) {
	s := &set{}
	for _, c := range []struct {
		rounds []float64
		want   spread
	}{
		{[]float64{5}, spread{5, 5, 5}},
		{[]float64{9, 1, 4}, spread{4, 1, 9}},
		{[]float64{8, 2, 4, 6}, spread{5, 2, 8}},
	} {
		tb := &table{times: map[point][]float64{{"a", s}: c.rounds}}
		if got, _ := tb.spread("a", s); got != c.want {
			t.Errorf("%v: %v, want %v", c.rounds, got, c.want)
		}
	}
}

func TestThousands(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 87.4: "87", 999.6: "1,000", 1234567: "1,234,567"} {
		if got := thousands(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// What the program needs of Node is checked where Ajv is installed.
func TestNodeJudgesTheSame(t *testing.T) {
	sets, err := loadSets(20)
	if err != nil {
		t.Fatal(err)
	}
	n, skipped, err := newNodeRunner(t.Context(), "node", sets)
	if err != nil {
		t.Fatal(err)
	}
	if n == nil {
		t.Skip("no Node: " + skipped)
	}
	defer n.close()
	for _, s := range sets {
		if got, err := n.verdicts(s); err != nil || !slices.Equal(got, s.fits) {
			t.Errorf("%s: %v %v", s, got, err)
		}
	}
	if ns, err := n.measure(sets[0], time.Millisecond); err != nil || ns <= 0 {
		t.Errorf("measured %v ns: %v", ns, err)
	}
}

func TestWithoutNodeTheRunGoesOn(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		n, why, err := newNodeRunner(t.Context(), dir, nil)
		if n != nil || why == "" || err != nil {
			t.Errorf("%q: %v, %q, %v", dir, n, why, err)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{}, {"-out", "x", "y"}, {"-out", "x", "-rounds", "0"}, {"-out", "x", "-warm", "0s"}} {
		if _, err := parse(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
