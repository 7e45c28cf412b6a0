package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/toolcall"
)

// report replays a log.
func report(t testing.TB, log string, p Proposal) *Report {
	t.Helper()
	r, judge, reader := NewReport(), NewJudge(p), audit.NewReader(strings.NewReader(log))
	for {
		line, err := reader.Next()
		if err != nil {
			break
		}
		r.Add("audit.jsonl", line, judge)
	}
	r.Finish()
	return r
}

func logOf(t testing.TB, records ...*audit.Record) string {
	t.Helper()
	var b bytes.Buffer
	for _, r := range records {
		line, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
	}
	return b.String()
}

func TestReportAddsUp(t *testing.T) {
	record := func(list ...toolcall.Call) *audit.Record {
		return recorded(t, input(), audit.PhaseCall, assistant, calls(list...), nil)
	}
	blocked := record(call("get_ticket", good))
	other := recorded(t, input(declares("other")), audit.PhaseCall, assistant, calls(call("other", "{}"), call("get_ticket", good)), nil)
	log := logOf(t, record(call("get_ticket", `{"x":1}`)), blocked, blocked, other) +
		"no record\n" +
		`{"apiVersion":"audit.callgate.dev/v1alpha1","kind":"Gap","dropped":7}` + "\n" +
		logOf(t, recorded(t, input(digest), audit.PhaseCall, assistant, calls(call("get_ticket", good)), nil)) + `{"apiVersion":"audit`
	after := input(rule(`args.ticket_id != "T-1"`), declares("get_ticket", "other"))
	r := report(t, log, Proposal{Input: after})
	if r.Records != 5 || r.Verdicts != 6 || r.Judged() != 5 || r.Unchanged != 2 || r.NewlyBlocked != 2 || r.NewlyAllowed != 0 || r.Changed != 1 ||
		r.Skipped != 1 || r.SkippedFor[SkipDigest] != 1 || r.Gaps != 1 || r.Lost != 7 || r.BrokenLines != 2 {
		t.Errorf("%+v", r)
	}
	if len(r.Broken) != 2 || r.Broken[0].Line != 5 || r.Broken[1].Line != 8 || r.Broken[0].Log != "audit.jsonl" {
		t.Errorf("broken are %+v", r.Broken)
	}
	if len(r.Changes) != 2 || r.Changes[0].Change != NewlyBlocked || r.Changes[0].Count != 2 || r.Changes[0].First.Line != 2 || r.Changes[0].First.UID != "u-1" {
		t.Errorf("changes are %+v", r.Changes[0])
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), "null") || strings.Contains(string(text), "T-1") {
		t.Errorf("as JSON: %v\n%s", err, text)
	}
}

func TestReportIsBounded(t *testing.T) {
	r, judge := NewReport(), NewJudge(Proposal{Input: input(declares("other"))})
	many := recorded(t, input(), audit.PhaseCall, assistant, calls(call("get_ticket", good)), nil)
	for i := range maxGroups + 50 {
		many.Calls[0].Code, many.Calls[0].Allowed = fmt.Sprint("code", i%(maxGroups+25)), false
		many.Calls[0].Errors = make([]string, 40)
		r.Add("log", audit.Line{Number: i + 1, Record: many}, judge)
		r.Add("log", audit.Line{Number: i + 1, Fault: "broken"}, judge)
	}
	if len(r.Changes) != maxGroups || r.MoreChanges != 25 || r.Changed != maxGroups+50 || len(r.Broken) != maxBroken || r.BrokenLines != maxGroups+50 {
		t.Errorf("%d groups, %d more, %d broken", len(r.Changes), r.MoreChanges, len(r.Broken))
	}
	if g := r.Changes[0]; len(g.Before.Errors) != maxErrors || g.MoreErrors != 40-maxErrors || g.Count != 2 {
		t.Errorf("%+v", g)
	}
}

func TestReportIsInOrder(t *testing.T) {
	a := recorded(t, input(declares("a")), audit.PhaseCall, assistant, calls(call("get_ticket", good), call("b", "{}")), nil)
	b := recorded(t, input(), audit.PhaseCall, assistant, calls(call("get_ticket", good)), nil)
	c := recorded(t, input(), audit.PhaseCall, assistant, calls(call("get_ticket", `{}`)), nil)
	var first string
	for _, records := range [][]*audit.Record{{a, b, c, a}, {c, a, a, b}} {
		r := report(t, logOf(t, records...), Proposal{Input: input()})
		r.Changes = append(r.Changes, report(t, logOf(t, records...), Proposal{Input: input(declares("b"))}).Changes...)
		r.Finish()
		var order []string
		for _, g := range r.Changes {
			order = append(order, fmt.Sprint(g.Change, g.Tool, g.Count))
		}
		got := strings.Join(order, " ")
		if first == "" {
			first = got
		}
		if got != first || !strings.HasPrefix(got, "newly-blocked") {
			t.Errorf("in order %s, and %s", first, got)
		}
	}
}

// Whatever a log says, it is judged to its end, and everything is counted once.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(logOf(f, recorded(f, input(), audit.PhaseCall, assistant, calls(call("get_ticket", good)), nil))))
	f.Add([]byte(logOf(f, recordedOffer(f, input(), &toolcall.Offer{Entries: []toolcall.OfferEntry{{Names: []string{"f"}}}}))))
	f.Add([]byte(`{"apiVersion":"audit.callgate.dev/v1alpha1","kind":"Verdict","phase":"execution","caller":{"namespace":"team","serviceAccountName":"assistant"},` +
		`"onBehalfOf":{"namespace":"team","serviceAccountName":"x"},"context":{"tenant":"a","attributes":"{}"},"calls":[{"tool":"get_ticket","arguments":"{}"}],"execution":{}}`))
	f.Add([]byte(`{"apiVersion":"audit.callgate.dev/v1alpha1","kind":"Verdict","phase":"call","caller":{"namespace":"team","serviceAccountName":"assistant"},` +
		`"arguments":"Full","context":{"attributes":"{\"x\":"},"outside":{"tenantLabels":[{"label":"tenant","value":"blue"}]},"calls":[{"tool":"get_ticket","arguments":"{}"}]}`))
	f.Fuzz(func(t *testing.T, log []byte) {
		r := report(t, string(log), Proposal{Input: input(rbac, byLabel("tenant"), rule("args.ticket_id != context.attributes.x"))})
		if r.Verdicts != r.Unchanged+r.NewlyBlocked+r.NewlyAllowed+r.Changed+r.Skipped || r.Verdicts < r.Records {
			t.Errorf("%+v", r)
		}
	})
}
