package webhooks

import (
	"bytes"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// smallReview is the weight up to which a review is not counted, so that ordinary ones
// never meet the large: the bound in flight holds them, at 1,000 values or 0.7 MB each.
const smallReview = 1000

// weigh tells how many JSON values a body can hold at most, without decoding it.
//
// Judging takes 500 to 900 bytes a value, whatever its kind: what a body costs hangs on
// its values, of which 1 MiB has anything from one to half a million, and not on its
// length. A comma or an opening bracket comes before every value but the first: the
// first of a container follows the bracket, every other one a comma. Commas alone are
// not enough: [[[[]]]] has none. Keys cost little beside their values.
//
// What is in strings counts as well, since arguments may be JSON text in a string; and
// so does the escape of such a character, which stands for it there. Prose with its
// commas is far from the limits, and to count too much refuses, at worst, and never
// admits.
func weigh(body []byte) int {
	n := 1
	for _, c := range []byte(",[{") {
		n += bytes.Count(body, []byte{c})
	}
	for {
		_, after, found := bytes.Cut(body, []byte(`\u00`))
		if !found {
			return n
		}
		if len(after) >= 2 {
			switch string(bytes.ToLower(after[:2])) {
			case "2c", "5b", "7b":
				n++
			}
		}
		body = after
	}
}

// admit counts a review by its weight against what is judged at once, before decoding
// makes the weight felt. One that is heavier than a caller's share goes to the heavy
// lane. The returned room has to be left.
func (h *ReviewHandler) admit(who flow, body []byte) (*room, answer) {
	n := weigh(body)
	switch {
	case n <= smallReview:
		return &room{who: who}, answer{}
	case n > h.values.share:
		p := &room{who: who}
		return p, h.intoHeavyLane(p)
	}
	if got := h.values.enter(who, n); got != entryOK {
		return nil, h.tooHeavy(false, got)
	}
	return &room{who: who, pool: h.values, weight: n}, answer{}
}

// room is what a review takes of the limits on memory, until it is left.
type room struct {
	who    flow
	pool   *inFlight
	weight int
	heavy  bool
}

// intoHeavyLane moves a review to the heavy lane, in which it may use all the work that
// a review may cost: a unit of work takes memory as a value does, and a small body can
// ask for hundreds of thousands.
func (h *ReviewHandler) intoHeavyLane(p *room) answer {
	if p.heavy {
		return answer{}
	}
	if got := h.heavy.enter(p.who, 1); got != entryOK {
		return h.tooHeavy(true, got)
	}
	p.leave()
	p.pool, p.weight, p.heavy = h.heavy, 1, true
	return answer{}
}

func (p *room) leave() {
	if p.pool != nil {
		p.pool.leave(p.who, p.weight)
		p.pool = nil
	}
}

func (h *ReviewHandler) tooHeavy(heavy bool, got entry) answer {
	message := "the reviews in flight hold too many values: send fewer or smaller calls at once"
	switch {
	case heavy:
		message = "another review as costly as this is in flight: send fewer or smaller calls at once, or one such review after the other"
	case got == entryShare:
		message = "the reviews of this caller in flight hold too many values: send fewer or smaller calls at once"
	}
	a := refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, message)
	a.retryAfter = h.retry.drop()
	return a
}
