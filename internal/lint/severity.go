package lint

import "fmt"

// Severity says how bad a finding is. The zero value is the worst.
type Severity uint8

// The severities.
const (
	// Error: a cluster refuses it, or does not put it in force.
	Error Severity = iota
	// Warning: it is in force, and does something else than its author can want.
	Warning
	// Note: worth knowing.
	Note
)

var severityNames = [...]string{Error: "error", Warning: "warning", Note: "note"}

// String is the severity's name: error, warning or note.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return severityNames[Error]
}

// ParseSeverity reads the name of a severity.
func ParseSeverity(name string) (Severity, error) {
	for s, n := range severityNames {
		if n == name {
			return Severity(s), nil
		}
	}
	return Error, fmt.Errorf("%q is no severity: choose error, warning or note", name)
}

// AtLeast reports whether s is as bad as other, or worse.
func (s Severity) AtLeast(other Severity) bool { return s <= other }
