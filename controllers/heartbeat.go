package controllers

import (
	"sync/atomic"
	"time"
)

// Heartbeat tells when the compile worker was last seen working. It beats through
// the worker's own queue, so that a compile that never ends stops it. The zero
// value has never beaten.
type Heartbeat struct {
	last atomic.Int64
}

// Last returns the time of the last beat, or the zero time.
func (h *Heartbeat) Last() time.Time {
	nanos := h.last.Load()
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos)
}

func (h *Heartbeat) beat(now time.Time) { h.last.Store(now.UnixNano()) }
