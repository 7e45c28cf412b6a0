package jsonschema

import (
	"bytes"
	"hash/maphash"
)

// fewKeys is how many keys that the schema does not name are compared one by one.
const fewKeys = 12

// keySet finds the repeated ones among many such keys of one object. Their author
// is the model, so the hash is seeded.
type keySet struct {
	slots []uint32 // the place in engine.unknown plus one
	used  int
}

var keySeed = maphash.MakeSeed()

// maxRepeats is how many repeated keys are placed one by one; a text with more is
// the reference's.
const maxRepeats = 16

// remember keeps a key that the schema does not name. It reports false where the
// object has had it before.
func (e *engine) remember(r *objectRun, key keyRef) bool {
	name := e.keyBytes(key)
	mine := e.unknown[r.unknown:]
	if r.set == 0 && len(mine) < fewKeys {
		for _, k := range mine {
			if bytes.Equal(e.keyBytes(k), name) {
				return false
			}
		}
		e.unknown = append(e.unknown, key)
		return true
	}
	if r.set == 0 {
		e.newSet()
		r.set = len(e.sets)
		for i, k := range mine {
			e.sets[r.set-1].put(maphash.Bytes(keySeed, e.keyBytes(k)), r.unknown+i)
		}
	}
	set := &e.sets[r.set-1]
	if 2*set.used >= len(set.slots) {
		e.grow(set)
	}
	hash := maphash.Bytes(keySeed, name)
	for at := set.first(hash); set.slots[at] != 0; at = set.after(at) {
		if bytes.Equal(e.keyBytes(e.unknown[set.slots[at]-1]), name) {
			return false
		}
	}
	set.put(hash, len(e.unknown))
	e.unknown = append(e.unknown, key)
	return true
}

// newSet adds an empty set, in memory that an earlier one has left.
func (e *engine) newSet() {
	if n := len(e.sets); n < cap(e.sets) {
		e.sets = e.sets[:n+1]
		// What an earlier object made large is cleared only as far as it is used.
		s := &e.sets[n]
		s.slots, s.used = s.slots[:min(len(s.slots), 8*fewKeys)], 0
		clear(s.slots)
	} else {
		e.sets = append(e.sets, keySet{})
	}
	if s := &e.sets[len(e.sets)-1]; len(s.slots) == 0 {
		s.slots = make([]uint32, 8*fewKeys)
	}
}

func (s *keySet) first(hash uint64) int { return int(hash % uint64(len(s.slots))) } //nolint:gosec // less than the length

func (s *keySet) after(at int) int {
	if at++; at == len(s.slots) {
		return 0
	}
	return at
}

func (s *keySet) put(hash uint64, place int) {
	at := s.first(hash)
	for s.slots[at] != 0 {
		at = s.after(at)
	}
	s.slots[at] = uint32(place + 1) //nolint:gosec // at most MaxArgumentValues
	s.used++
}

func (e *engine) grow(s *keySet) {
	e.places = append(e.places[:0], s.slots...)
	if n := 4 * len(s.slots); cap(s.slots) >= n {
		s.slots = s.slots[:n]
		clear(s.slots)
	} else {
		s.slots = make([]uint32, n)
	}
	s.used = 0
	for _, place := range e.places {
		if place != 0 {
			s.put(maphash.Bytes(keySeed, e.keyBytes(e.unknown[place-1])), int(place-1))
		}
	}
}

// repeated reads a member whose key the object has had before. The fault is noted
// where the key came first; what it has the next time is not looked at.
func (e *engine) repeated(r *objectRun, key keyRef, i int) int {
	if e.base && e.mute == 0 {
		if e.repeats++; e.rereads || e.repeats > maxRepeats {
			return e.pass()
		}
		crumb := &e.path[e.depth-1]
		saved := *crumb
		crumb.at, crumb.locus = int32(e.memberAt(r.start, string(e.keyBytes(key)))), -1 //nolint:gosec // at most 512 KiB
		e.distinct = true
		e.note(rule{nil, idDuplicate, kwNone})
		*crumb = saved
	}
	return e.hidden(i)
}
