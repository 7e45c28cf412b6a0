package webhooks

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/callgate/callgate/internal/toolcall"
)

// firstBuffer is what a body gets before its first byte came: a client that announces
// 1 MiB and sends nothing must not cost that much.
const firstBuffer = 64 << 10

// place is where a request is: arriving, until its body is there; among the slow, if
// the body does not come at once; and then judged. A few slow senders cannot fill the
// places of those that arrive, and neither hold up those that are judged.
type place struct {
	who                     flow
	arriving, slow, judging *inFlight

	mu   sync.Mutex
	in   *inFlight
	done bool
}

// take finds a place for a request that arrives.
func (h *ReviewHandler) take(who flow) (*place, entry) {
	got := h.arriving.enter(who, 1)
	if got != entryOK {
		return nil, got
	}
	return &place{who: who, arriving: h.arriving, slow: h.slow, judging: h.judging, in: h.arriving}, got
}

// demote moves the request to the slow and gives its body until deadline; with no room
// there, the body is cut off.
func (p *place) demote(rc *http.ResponseController, deadline time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done || p.in != p.arriving {
		return
	}
	if p.move(p.slow) != entryOK {
		// Any instant that has passed.
		deadline = time.Unix(1, 0)
	}
	// A writer without deadlines (a test's) leaves the server's ReadTimeout.
	_ = rc.SetReadDeadline(deadline)
}

// judge takes the request, whose body has been read, to be judged. It also says
// whether the body was cut off for want of a place.
func (p *place) judge(rc *http.ResponseController) (got entry, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
	switch p.in {
	case nil:
		return entryFull, true
	case p.slow:
		_ = rc.SetReadDeadline(time.Time{})
	}
	return p.move(p.judging), false
}

// wait takes the request from those that are judged to those that wait for the outside.
func (p *place) wait(to *inFlight) entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in == nil {
		return entryFull
	}
	return p.move(to)
}

func (p *place) move(to *inFlight) entry {
	p.in.leave(p.who, 1)
	p.in = nil
	got := to.enter(p.who, 1)
	if got == entryOK {
		p.in = to
	}
	return got
}

func (p *place) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
	if p.in != nil {
		p.in.leave(p.who, 1)
		p.in = nil
	}
}

// reserve counts a large body against what all large bodies may take together. A body
// of unannounced length counts in full. The returned function gives it back.
func (h *ReviewHandler) reserve(r *http.Request) (func(), bool) {
	n := r.ContentLength
	if n < 0 {
		n = toolcall.MaxBodyBytes
	}
	if n <= firstBuffer {
		return func() {}, true
	}
	if h.large.Add(n) > h.opts.MaxLargeBodyBytes {
		h.large.Add(-n)
		return nil, false
	}
	return func() { h.large.Add(-n) }, true
}

// readBody reads the whole body within its bounds of size and time.
func (h *ReviewHandler) readBody(w http.ResponseWriter, r *http.Request, p *place) ([]byte, answer) {
	rc := http.NewResponseController(w)
	deadline := h.opts.Clock.Now().Add(h.opts.BodyTimeout)
	impatience := h.opts.Clock.AfterFunc(h.opts.BodyPatience, func() { p.demote(rc, deadline) })
	defer impatience.Stop()

	var buf bytes.Buffer
	if n := r.ContentLength; n > 0 {
		buf.Grow(int(min(n, firstBuffer)) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, toolcall.MaxBodyBytes))
	admitted, cut := p.judge(rc)
	switch {
	case err != nil:
		return nil, h.bodyFault(err, cut)
	case admitted != entryOK:
		return nil, h.overLimit(admitted)
	}
	return buf.Bytes(), answer{}
}

func (h *ReviewHandler) bodyFault(err error, cut bool) answer {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge()
	}
	var a answer
	switch timeout, ok := errors.AsType[net.Error](err); {
	case ok && timeout.Timeout() && cut:
		a = h.overLimit(entryFull)
	case ok && timeout.Timeout():
		a = refuse(http.StatusRequestTimeout, reasonRequestTimeout, "the body did not come in time")
	default:
		a = refuse(http.StatusBadRequest, metav1.StatusReasonBadRequest, "the body ended early")
	}
	a.hangUp = true
	return a
}
