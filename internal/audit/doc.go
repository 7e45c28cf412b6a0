// Package audit is the format of the audit record: what one verdict was, and what it
// rested on. It makes records of verdicts, writes each as one line of JSON, and reads
// them back, so that a review that was recorded can be judged again. docs/audit.md has
// every field.
//
// It is pure but for the randomness of a key that nobody gave. Where the lines go to is
// the business of package sink.
package audit
