package adapter

// lanes admits executions: so many at once, and so many bytes of arguments and answers,
// in all and of one namespace's adapters, so that a backend that hangs stands in its own
// way only. Nothing waits here: the server that calls has a queue. It is guarded by the
// Executor's mutex.
type lanes struct {
	max, perMax     int
	bytes, perBytes int

	places, held int
	namespaces   map[string]*lane
}

type lane struct {
	places, held int
}

func newLanes(o Settings) *lanes {
	return &lanes{
		max: o.MaxRunning, perMax: o.MaxRunningPerNamespace,
		bytes: o.MaxPendingBytes, perBytes: o.MaxPendingBytesPerNamespace,
		namespaces: map[string]*lane{},
	}
}

// enter takes a place and room. Whoever got them must leave.
func (l *lanes) enter(namespace string, bytes int) bool {
	own, ok := l.namespaces[namespace]
	if !ok {
		own = &lane{}
	}
	if l.places >= l.max || own.places >= l.perMax || !l.room(own, bytes) {
		return false
	}
	l.namespaces[namespace] = own
	l.places++
	own.places++
	l.held += bytes
	own.held += bytes
	return true
}

func (l *lanes) room(own *lane, bytes int) bool {
	return l.held+bytes <= l.bytes && own.held+bytes <= l.perBytes
}

// grow takes more room for who has a place.
func (l *lanes) grow(namespace string, bytes int) bool {
	own := l.namespaces[namespace]
	if own == nil || !l.room(own, bytes) {
		return false
	}
	l.held += bytes
	own.held += bytes
	return true
}

// leave gives a place back, and all the room that was taken for it.
func (l *lanes) leave(namespace string, bytes int) {
	own := l.namespaces[namespace]
	l.places--
	own.places--
	l.held -= bytes
	own.held -= bytes
	if own.places == 0 {
		delete(l.namespaces, namespace)
	}
}
