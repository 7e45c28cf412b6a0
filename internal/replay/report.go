package replay

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/internal/audit"
)

// The bounds of a report, so that a log of any length is told in so much memory and read
// by a person. Whatever is beyond them is counted.
const (
	// maxGroups is how many different changes are listed, some KiB each.
	maxGroups = 1000
	// maxErrors is how many errors of a verdict are.
	maxErrors = 16
	// maxBroken is how many lines are named that are no records.
	maxBroken = 20
)

// Report adds up what would be different. Its JSON is the output of `callgate replay -o
// json`.
type Report struct {
	// Records and Verdicts are what the logs hold: a review has a verdict for each call.
	Records  int64 `json:"records"`
	Verdicts int64 `json:"verdicts"`

	Unchanged    int64 `json:"unchanged"`
	NewlyBlocked int64 `json:"newlyBlocked"`
	NewlyAllowed int64 `json:"newlyAllowed"`
	Changed      int64 `json:"changed"`
	Skipped      int64 `json:"skipped"`
	// SkippedFor has the skipped verdicts by reason.
	SkippedFor map[Skip]int64 `json:"skippedFor"`

	// Changes are the different changes, the worst first. MoreChanges counts the verdicts
	// that belong to none that is listed.
	Changes     []*Group `json:"changes"`
	MoreChanges int64    `json:"moreChanges"`

	// BrokenLines counts the lines that are no records; Broken names the first.
	BrokenLines int64    `json:"brokenLines"`
	Broken      []Broken `json:"broken"`
	// Gaps counts the gap records, Lost the records that they tell of.
	Gaps int64 `json:"gaps"`
	Lost int64 `json:"lost"`

	groups map[[sha256.Size]byte]*Group
}

// Group is one change, of however many verdicts.
type Group struct {
	Change Change `json:"change"`
	Subject
	Before Verdict `json:"before"`
	After  Verdict `json:"after"`
	// MoreErrors counts those of Before and After that are left out of both.
	MoreErrors int   `json:"moreErrors"`
	Count      int64 `json:"count"`
	// First is where the first of them stands.
	First Place `json:"first"`
}

// Place is a record in a log.
type Place struct {
	Log  string    `json:"log"`
	Line int       `json:"line"`
	UID  string    `json:"uid"`
	Time time.Time `json:"time"`
}

// Broken is a line that is no record.
type Broken struct {
	Log   string `json:"log"`
	Line  int    `json:"line"`
	Fault string `json:"fault"`
}

// NewReport makes an empty report.
func NewReport() *Report {
	return &Report{
		SkippedFor: map[Skip]int64{}, Changes: []*Group{}, Broken: []Broken{},
		groups: map[[sha256.Size]byte]*Group{},
	}
}

// Add adds what became of one line of a log.
func (r *Report) Add(log string, line audit.Line, judge *Judge) {
	switch {
	case line.Fault != "":
		r.BrokenLines++
		if len(r.Broken) < maxBroken {
			r.Broken = append(r.Broken, Broken{Log: log, Line: line.Number, Fault: line.Fault})
		}
	case line.Gap != nil:
		r.Gaps++
		r.Lost += line.Gap.Dropped
	case line.Record != nil:
		r.Records++
		place := Place{Log: log, Line: line.Number, UID: line.Record.UID, Time: line.Record.Time}
		for _, o := range judge.Judge(line.Record) {
			r.add(o, place)
		}
	}
}

func (r *Report) add(o Outcome, place Place) {
	r.Verdicts++
	switch o.Change {
	case Unchanged:
		r.Unchanged++
		return
	case Skipped:
		r.Skipped++
		r.SkippedFor[o.Skip]++
		return
	case NewlyBlocked:
		r.NewlyBlocked++
	case NewlyAllowed:
		r.NewlyAllowed++
	default:
		r.Changed++
	}
	key := keyOf(&o)
	g := r.groups[key]
	switch {
	case g != nil:
		g.Count++
		return
	case len(r.Changes) >= maxGroups:
		r.MoreChanges++
		return
	}
	g = &Group{Change: o.Change, Subject: o.Subject, Count: 1, First: place}
	before, more := bounded(o.Before)
	after, still := bounded(o.After)
	g.Before, g.After, g.MoreErrors = before, after, more+still
	r.groups[key] = g
	r.Changes = append(r.Changes, g)
}

// bounded is a verdict with some of its errors, and how many are left out.
func bounded(v Verdict) (Verdict, int) {
	n := min(len(v.Errors), maxErrors)
	more := len(v.Errors) - n
	v.Errors = append([]string{}, v.Errors[:n]...)
	return v, more
}

// keyOf tells changes apart.
func keyOf(o *Outcome) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%q %+q %+q %+q", o.Change, []string{string(o.Phase), o.Namespace, o.ServiceAccountName, o.Tool}, o.Before.words(), o.After.words())
	return [sha256.Size]byte(h.Sum(nil))
}

func (v *Verdict) words() []string {
	return append([]string{fmt.Sprint(v.Allowed, v.WouldBlock), v.Code}, v.Errors...)
}

// Judged is how many verdicts could be told.
func (r *Report) Judged() int64 { return r.Verdicts - r.Skipped }

// rank puts what hurts first.
var rank = map[Change]int{NewlyBlocked: 0, NewlyAllowed: 1, Changed: 2}

// Finish puts the changes in order: the worst first, of those the most frequent, and then
// by name, so that equal logs have equal reports.
func (r *Report) Finish() {
	slices.SortStableFunc(r.Changes, func(a, b *Group) int {
		return cmp.Or(
			cmp.Compare(rank[a.Change], rank[b.Change]), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.ServiceAccountName, b.ServiceAccountName),
			cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.Tool, b.Tool),
			slices.Compare(a.Before.words(), b.Before.words()), slices.Compare(a.After.words(), b.After.words()),
		)
	})
}
