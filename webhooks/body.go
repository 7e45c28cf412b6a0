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

// place is a request's place among those in flight. A body that does not come at once
// moves its request to the pool of slow ones, so that a few slow senders cannot fill
// the places of those that are there to be judged.
type place struct {
	who        flow
	fast, slow *inFlight

	mu   sync.Mutex
	in   *inFlight
	done bool
}

// take finds a place for a request among the fast.
func (h *ReviewHandler) take(who flow) (*place, entry) {
	got := h.fast.enter(who)
	if got != entryOK {
		return nil, got
	}
	return &place{who: who, fast: h.fast, slow: h.slow, in: h.fast}, got
}

// demote moves the request to the slow pool and gives its body until deadline; with
// no room there, the body is cut off.
func (p *place) demote(rc *http.ResponseController, deadline time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done || p.in != p.fast {
		return
	}
	p.fast.leave(p.who)
	p.in = nil
	if p.slow.enter(p.who) == entryOK {
		p.in = p.slow
	} else {
		// Any instant that has passed.
		deadline = time.Unix(1, 0)
	}
	// A writer without deadlines (a test's) leaves the server's ReadTimeout.
	_ = rc.SetReadDeadline(deadline)
}

// promote takes the request back among the fast, to be judged.
func (p *place) promote(rc *http.ResponseController) entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
	if p.in == p.fast {
		return entryOK
	}
	if p.in == nil {
		return entryFull
	}
	_ = rc.SetReadDeadline(time.Time{})
	p.slow.leave(p.who)
	p.in = nil
	got := p.fast.enter(p.who)
	if got == entryOK {
		p.in = p.fast
	}
	return got
}

func (p *place) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
	if p.in != nil {
		p.in.leave(p.who)
		p.in = nil
	}
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
	admitted := p.promote(rc)
	switch {
	case err != nil:
		return nil, h.bodyFault(err, admitted)
	case admitted != entryOK:
		return nil, h.overLimit(admitted)
	}
	return buf.Bytes(), answer{}
}

func (h *ReviewHandler) bodyFault(err error, admitted entry) answer {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge()
	}
	var a answer
	switch timeout, ok := errors.AsType[net.Error](err); {
	case ok && timeout.Timeout() && admitted == entryFull:
		a = h.overLimit(admitted)
	case ok && timeout.Timeout():
		a = refuse(http.StatusRequestTimeout, reasonRequestTimeout, "the body did not come in time")
	default:
		a = refuse(http.StatusBadRequest, metav1.StatusReasonBadRequest, "the body ended early")
	}
	a.hangUp = true
	return a
}
