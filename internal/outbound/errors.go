package outbound

import (
	"context"
	"errors"
	"net"
	"syscall"
)

// Cause says in one fixed word why a call failed. It is what callers, status and
// metrics may be told.
type Cause string

const (
	// CauseNotAllowed: the URL, or every address behind its name, is not allowed.
	CauseNotAllowed Cause = "not_allowed"
	// CauseTimeout: the time for the call, or for one part of it, ran out.
	CauseTimeout Cause = "timeout"
	// CauseCanceled: whoever made the call gave it up.
	CauseCanceled Cause = "canceled"
	// CauseResolve: the name has no address, or the look-up failed.
	CauseResolve Cause = "resolve"
	// CauseConnect: no address took the connection.
	CauseConnect Cause = "connect"
	// CauseTLS: the handshake failed, or the certificate is not the host's.
	CauseTLS Cause = "tls"
	// CauseRedirect: the answer was a redirect (any 3xx), and none is followed.
	CauseRedirect Cause = "redirect"
	// CauseTooLarge: the body is over the caller's limit.
	CauseTooLarge Cause = "too_large"
	// CauseNoAnswer: the connection ended before the answer was complete, or what came
	// was no HTTP.
	CauseNoAnswer Cause = "no_answer"
)

// Error is every failure of this package, save those of reading the settings. It wraps
// nothing: the errors of net/http quote the URL, whose path may hold what a model
// wrote, and those of crypto/x509 quote the peer.
type Error struct {
	Cause Cause
	// Detail is for logs, audit and status. It may name the host and the address, and
	// holds no path, query, header or body.
	Detail string
}

func (e *Error) Error() string { return "calling out: " + string(e.Cause) + ": " + e.Detail }

// CauseOf is the cause of an error of this package, else CauseNoAnswer; "" for nil.
func CauseOf(err error) Cause {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Cause
	}
	return CauseNoAnswer
}

// ended is the error of a call whose context is over, or nil.
func ended(ctx context.Context) *Error {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return nil
	case errors.Is(cause, context.DeadlineExceeded):
		return &Error{Cause: CauseTimeout, Detail: "the time for the call ran out"}
	default:
		return &Error{Cause: CauseCanceled, Detail: "the call was given up"}
	}
}

// classify turns what net/http returned into an *Error. ctx is the call's.
func classify(ctx context.Context, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e := ended(ctx); e != nil {
		return e
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return &Error{Cause: CauseTimeout, Detail: "the answer's headers did not come in time"}
	}
	return &Error{Cause: CauseNoAnswer, Detail: system(err, "the connection ended early, or what came is no HTTP within the bounds")}
}

// system names the operating system's error behind err, whose text is fixed.
func system(err error, otherwise string) string {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	return otherwise
}
