package identity

import (
	"errors"
	"math"
	"time"
)

// The ways in which Identify fails. They hold nothing of the token.
var (
	// ErrUnauthenticated: nobody stands behind the token (401).
	ErrUnauthenticated = errors.New("authenticating the caller: the bearer token is not valid here")
	// ErrForbidden: the caller is known, but is no ServiceAccount or may not create
	// reviews in its own namespace (403).
	ErrForbidden = errors.New("authorizing the caller: it may not create reviews in its own namespace")
	// ErrUnavailable: the caller could not be checked (503). The error is an
	// *UnavailableError, which says when to try again.
	ErrUnavailable = errors.New("checking the caller: it cannot be checked now")
)

// UnavailableError is an ErrUnavailable with its cause, a fixed word, and the time
// after which another attempt makes sense.
type UnavailableError struct {
	// Cause is one of the Cause constants.
	Cause Cause
	// RetryAfter is at least one second.
	RetryAfter time.Duration
}

// Cause says in one word why a caller could not be checked.
type Cause string

const (
	// CauseNoAnswer: the API server did not answer within the deadline.
	CauseNoAnswer Cause = "no_answer"
	// CauseOutage: the API server is known not to be answering, so it was not asked.
	CauseOutage Cause = "outage"
	// CauseBusy: too many look-ups wait already.
	CauseBusy Cause = "busy"
	// CauseCanceled: the request ended before the answer came.
	CauseCanceled Cause = "canceled"
	// CauseClosed: the authenticator has been closed.
	CauseClosed Cause = "closed"
)

func (e *UnavailableError) Error() string { return ErrUnavailable.Error() + ": " + string(e.Cause) }

// Is makes errors.Is(err, ErrUnavailable) hold.
func (e *UnavailableError) Is(target error) bool { return target == ErrUnavailable }

// RetryAfterSeconds is RetryAfter in whole seconds, rounded up, for the header: an
// hour at most.
func (e *UnavailableError) RetryAfterSeconds() int32 {
	return int32(min(math.Ceil(e.RetryAfter.Seconds()), 3600))
}

func unavailable(cause Cause) *UnavailableError {
	return &UnavailableError{Cause: cause, RetryAfter: time.Second}
}

func causeOf(err error) Cause {
	if u, ok := errors.AsType[*UnavailableError](err); ok {
		return u.Cause
	}
	return ""
}
