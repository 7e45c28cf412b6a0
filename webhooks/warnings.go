package webhooks

import (
	"fmt"
	"strings"
	"unicode/utf8"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/shown"
)

// The bounds on warnings. The API server cuts all of a request's warnings at 4 KiB
// and each at 256 characters; beyond that nobody would read them.
const (
	maxWarnings      = 20
	maxWarningBytes  = 256
	maxWarningsBytes = 4096
)

func notChecked(why string) string {
	return "callgate: not checked: " + why + "; see the object's status"
}

func schemaWarnings(s *callgatev1alpha1.ToolSchema, o *compile.SchemaOutcome) []string {
	if o == nil {
		return []string{notChecked("the policy set cannot be read now")}
	}
	field := "spec.parameters"
	if s.Spec.ParametersJSON != "" {
		field = "spec.parametersJSON"
	}
	return list(o.Reason, o.Message, field, o.Problems, o.Warnings)
}

func policyWarnings(o *compile.PolicyOutcome) []string {
	if o == nil {
		return []string{notChecked("the policy set cannot be read now")}
	}
	return list(o.Reason, o.Message, "", o.Problems, o.Warnings)
}

// list puts an outcome into lines: the verdict, then what is wrong, then what to know.
func list(reason, message, field string, problems, notes []callgatev1alpha1.Problem) []string {
	var lines []string
	if reason != "" {
		lines = append(lines, fmt.Sprintf("callgate: stored, but will not be in force (%s): %s", reason, message))
	}
	for _, p := range problems {
		lines = append(lines, line(field, p))
	}
	for _, p := range notes {
		lines = append(lines, line(field, p))
	}
	return bound(lines)
}

// line is one problem with its place: a JSON Pointer below the field that holds the
// document, or into the object.
func line(field string, p callgatev1alpha1.Problem) string {
	place := field
	if p.Path != nil {
		place += *p.Path
	}
	if place = strings.TrimPrefix(place, "/"); place == "" {
		return p.Message
	}
	return place + ": " + p.Message
}

// bound escapes and cuts the lines, and says how many it left out.
func bound(lines []string) []string {
	out := make([]string, 0, min(len(lines), maxWarnings))
	total := 0
	for i, l := range lines {
		l = cutBytes(shown.Escape(l), maxWarningBytes)
		last := len(out) == maxWarnings-1 && i < len(lines)-1
		if last || total+len(l) > maxWarningsBytes-maxWarningBytes {
			return append(out, fmt.Sprintf("callgate: %d more; see the object's status", len(lines)-i))
		}
		out = append(out, l)
		total += len(l)
	}
	return out
}

// cutBytes shortens s to limit bytes at a code point's edge.
func cutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const ellipsis = "…"
	end := limit - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}
