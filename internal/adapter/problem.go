package adapter

import (
	"unicode/utf8"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// Problem is why an object is not used. Path is a JSON Pointer into the object; Reason
// is a condition's: InvalidSpec of Accepted, EndpointNotAllowed of ResolvedRefs.
// Message is at most 512 code points, as in status.
type Problem struct {
	Path, Reason, Message string
}

// Warning is what the author of an object that is used should know.
type Warning struct {
	Path, Message string
}

// maxMessage bounds a message, as status does.
const maxMessage = 512

func invalid(path, message string) Problem {
	return Problem{Path: path, Reason: callgatev1alpha1.ReasonInvalidSpec, Message: cut(message)}
}

func cut(s string) string {
	if utf8.RuneCountInString(s) <= maxMessage {
		return s
	}
	return string([]rune(s)[:maxMessage-1]) + "…"
}
