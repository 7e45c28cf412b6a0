package main

import "fmt"

// difference is a set on which an arm judged otherwise than it must.
type difference struct {
	arm   string
	set   *set
	wrong int
}

func (d difference) String() string {
	return fmt.Sprintf("%s judges %d of %d calls otherwise (%s)", d.arm, d.wrong, len(d.set.calls), d.set)
}

// compare runs every arm once over every call. An arm that reads only must find
// that every call is JSON.
func compare(runners []runner, sets []*set) ([]difference, error) {
	var out []difference
	for _, r := range runners {
		for _, s := range sets {
			if !r.takes(s) {
				continue
			}
			got, err := r.verdicts(s)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", r.name(), s, err)
			}
			if n := count(got, s.fits, r.role() == reads); n > 0 {
				out = append(out, difference{r.name(), s, n})
			}
		}
	}
	return out, nil
}

func count(got, fits []bool, all bool) int {
	n := 0
	for i := range got {
		if want := all || fits[i]; got[i] != want {
			n++
		}
	}
	return n
}

// oracle fails where Callgate and santhosh-tekuri/jsonschema do not both find
// what they must: then they differ, or the corpus is not what it says.
func oracle(differences []difference) error {
	for _, d := range differences {
		switch d.arm {
		case armCallgate, armDefaults, armLocated, armSanthosh:
			return fmt.Errorf("%s: mend that before measuring", d)
		}
	}
	return nil
}
