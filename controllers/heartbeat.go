package controllers

import (
	"sync/atomic"
	"time"
)

// Heartbeat tells when the compile worker was last seen working. It beats through
// the worker's own queue, so that a compile that never ends stops it. It begins
// once the caches have synced: until then Last is the zero time, which is no sign of
// death. The zero value is ready to use.
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
