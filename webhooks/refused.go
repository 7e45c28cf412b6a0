package webhooks

import (
	"io"
	"net/http"

	"k8s.io/utils/clock"
)

// finishBody reads the rest of a refused request whose body is small, and looks at none
// of it. In HTTP/2 an answer that comes before the body has ended resets the stream, and
// some clients (curl 7.88 is one) then report that and not the answer. In HTTP/1.1
// net/http does the same of itself. Whoever does not send within the patience for bodies
// gets the reset.
func finishBody(w http.ResponseWriter, r *http.Request, clk clock.PassiveClock, opts *ReviewOptions) {
	if r.ProtoMajor < 2 || r.ContentLength <= 0 || r.ContentLength > firstBuffer {
		return
	}
	if http.NewResponseController(w).SetReadDeadline(clk.Now().Add(opts.BodyPatience)) != nil {
		return
	}
	// What goes wrong with it is of no interest: the request is refused.
	_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength)
}
