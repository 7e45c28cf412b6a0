// Package lint says all that can be said of a set of files before any cluster sees it:
// what the API server would refuse, what status would report, and what works and can
// hardly be meant.
//
// It is a pure function of what internal/manifest read and internal/compile made of it:
// no file, network or clock has a say, and equal inputs give equal findings in equal
// order. Each finding names a rule of a closed list (Rules), whose names never change
// their meaning, so that scripts may depend on them.
package lint
