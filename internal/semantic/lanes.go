package semantic

import "context"

// lanes admits questions: so many at once and waiting, in all and of one policy. The
// bookkeeping is guarded by the Client's mutex; start and stop need none.
type lanes struct {
	max      int
	perMax   int
	perRun   int
	maxBytes int
	// perBytes keeps a policy with large offers from taking all of maxBytes.
	perBytes int

	places  int
	bytes   int
	running chan struct{}
	// policies has a lane for each policy with a question, and no other.
	policies map[laneKey]*lane
}

// laneKey is a policy whatever its generation: an edit frees no place.
type laneKey struct{ namespace, name, uid string }

type lane struct {
	key     laneKey
	places  int
	bytes   int
	running chan struct{}
}

func newLanes(o Options) *lanes {
	return &lanes{
		max:      o.MaxRunning + o.MaxWaiting,
		perMax:   o.MaxRunningPerPolicy + o.MaxWaitingPerPolicy,
		perRun:   o.MaxRunningPerPolicy,
		maxBytes: o.MaxPendingBytes,
		perBytes: max(o.MaxRequestBytes, o.MaxPendingBytes/4),
		running:  make(chan struct{}, o.MaxRunning),
		policies: map[laneKey]*lane{},
	}
}

// enter takes a place without waiting. Whoever got one must leave it.
func (l *lanes) enter(p Policy, bytes int) (*lane, bool) {
	key := laneKey{p.Namespace, p.Name, p.UID}
	own, ok := l.policies[key]
	if !ok {
		own = &lane{key: key, running: make(chan struct{}, l.perRun)}
	}
	if l.places >= l.max || l.bytes+bytes > l.maxBytes || own.places >= l.perMax || own.bytes+bytes > l.perBytes {
		return nil, false
	}
	l.policies[key] = own
	l.places++
	l.bytes += bytes
	own.places++
	own.bytes += bytes
	return own, true
}

func (l *lanes) leave(own *lane, bytes int) {
	l.places--
	l.bytes -= bytes
	own.bytes -= bytes
	if own.places--; own.places == 0 {
		delete(l.policies, own.key)
	}
}

// start waits until the question may be sent; false if ctx ended first. The policy's own
// place comes first, so that a policy which waits for itself holds no other's place.
func (l *lanes) start(ctx context.Context, own *lane) bool {
	if !take(ctx, own.running) {
		return false
	}
	if !take(ctx, l.running) {
		<-own.running
		return false
	}
	return true
}

func (l *lanes) stop(own *lane) {
	<-l.running
	<-own.running
}

func take(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		// Both may have been ready.
		if ctx.Err() != nil {
			<-places
			return false
		}
		return true
	case <-ctx.Done():
		return false
	}
}
