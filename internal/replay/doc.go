// Package replay judges reviews that were recorded again, by another policy set, and adds
// up what would be different. It is pure: records and objects come in, a report comes out.
package replay
