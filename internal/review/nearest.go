package review

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxNearName is the longest name that is compared, in code points: that of the
	// longest tool's, and beyond it nobody meant one.
	maxNearName = 192
	// nearKeyWork bounds what one argument's suggestion may cost, and nearToolWork
	// what those of all calls of a review may, in steps of some ten nanoseconds: 0.5 ms,
	// and 5 ms.
	nearKeyWork  = 50_000
	nearToolWork = 500_000
)

// nearest gives the names that are closest to the one given: those that are equally
// close, in the order of names, at most limit of them. work is what it may
// still cost; when that is used up, it gives none.
//
// A name is close if it is the same but for case and separators, if it is the given
// one without a prefix or a residue ("functions.get_weather", "notes</arg>") or with
// a server before it, or if a slip or two of the pen lead from one to the other.
func nearest(given string, names []string, limit int, work *int) []string {
	if len(given) > 4*maxNearName {
		return nil
	}
	folded := fold(given)
	*work -= len(given)
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, name := range names {
		if name == given || len(name) > 4*maxNearName {
			continue
		}
		*work -= len(name) + 1
		if *work < 0 {
			return nil
		}
		d, ok := closeness(folded, fold(name), work)
		if given != "" && strings.HasSuffix(name, "/"+given) {
			d, ok = 0, true
		}
		if ok {
			near = append(near, candidate{name, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var out []string
	for _, c := range near[:min(limit, len(near))] {
		if c.distance > near[0].distance {
			break
		}
		out = append(out, c.name)
	}
	return out
}

// fold writes a name without case, and every separator as one kind.
func fold(name string) []rune {
	out := make([]rune, 0, utf8.RuneCountInString(name))
	for _, r := range name {
		if strings.ContainsRune("-. /:", r) {
			r = '_'
		}
		out = append(out, unicode.ToLower(r))
	}
	return out
}

// maxSlips is how many changes still make a name a close one: a third of it, and
// three at most.
func maxSlips(n int) int { return min(n/3, 3) }

func closeness(given, name []rune, work *int) (distance int, ok bool) {
	most := maxSlips(len(name))
	if affixed(given, name) {
		return most + 1, true
	}
	if len(given) > maxNearName {
		return 0, false
	}
	*work -= len(name) * (2*most + 1)
	if *work < 0 {
		return 0, false
	}
	d := editDistance(given, name, most)
	return d, d <= most
}

// affixed says whether given is name with something before or behind it that is set
// off from it. Names of one or two letters stand in many others.
func affixed(given, name []rune) bool {
	extra := len(given) - len(name)
	if extra < 1 || len(name) < 3 {
		return false
	}
	if slices.Equal(given[extra:], name) && !word(given[extra-1]) {
		return true
	}
	return slices.Equal(given[:len(name)], name) && !word(given[len(name)])
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that lead from a to b, or gives most+1 if there are more than most.
// It looks only at a band of 2·most+1 along the diagonal of the table.
func editDistance(a, b []rune, most int) int {
	far := most + 1
	if d := len(a) - len(b); d > most || -d > most {
		return far // the corner of the table is outside the band
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j], before[j] = j, far
	}
	for i := 1; i <= len(a); i++ {
		if best := nextRow(row, last, before, a[:i], b, most); best > most {
			return far
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], far)
}

// nextRow fills the row of the table for the last rune of a from the two above it,
// within the band, and gives the least distance in it.
func nextRow(row, last, before []int, a, b []rune, most int) int {
	i := len(a)
	from, to := max(1, i-most), min(len(b), i+most)
	row[from-1] = most + 1
	if from == 1 {
		row[0] = i
	}
	best := row[from-1]
	for j := from; j <= to; j++ {
		d := row[j-1] + 1
		if j < i+most { // what is above is in the band
			d = min(d, last[j]+1)
		}
		if a[i-1] == b[j-1] {
			d = min(d, last[j-1])
		}
		d = min(d, last[j-1]+1)
		if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
			d = min(d, before[j-2]+1)
		}
		row[j] = d
		best = min(best, d)
	}
	return best
}
