package rawjson

import (
	"errors"
	"strconv"
)

// What can be wrong with a text. Compare with errors.Is.
var (
	// ErrSyntax: the text is no JSON. The error itself is a *SyntaxError.
	ErrSyntax = errors.New("invalid JSON")
	// ErrTooDeep: containers are nested beyond the bound.
	ErrTooDeep = errors.New("JSON is nested too deeply")
	// ErrTooMany: there are more values, members or elements than the bound.
	ErrTooMany = errors.New("JSON has too many values")
)

// SyntaxError is an ErrSyntax with its place. It quotes nothing of the text, so
// that it may be shown and logged.
type SyntaxError struct {
	// Offset is the byte at which the text stops being JSON; the length of the
	// text if it ends too early.
	Offset int
	// Msg says what is wrong there.
	Msg string
}

func (e *SyntaxError) Error() string {
	return "invalid JSON at byte " + strconv.Itoa(e.Offset) + ": " + e.Msg
}

// Is makes every SyntaxError an ErrSyntax.
func (e *SyntaxError) Is(target error) bool { return target == ErrSyntax }
