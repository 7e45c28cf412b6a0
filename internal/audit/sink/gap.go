package sink

import (
	"time"

	"github.com/callgate/callgate/internal/audit"
)

// interimGap is how long records may go missing before a gap record tells so, though it
// has not ended: whoever reads the log must not take a sink that is always too slow for a
// whole one.
const interimGap = time.Minute

// loss counts what was lost since the last gap record.
type loss struct {
	allowed, blocked int64
	from, to         time.Time
}

func (l *loss) add(allowed bool, now time.Time) {
	if l.none() {
		l.from = now
	}
	l.to = now
	if allowed {
		l.allowed++
	} else {
		l.blocked++
	}
}

func (l *loss) none() bool { return l.allowed == 0 && l.blocked == 0 }

// due reports whether it is time to tell: nothing more is being lost, or it has gone on
// for long.
func (l *loss) due(calm bool, now time.Time) bool {
	return !l.none() && (calm || now.Sub(l.from) >= interimGap)
}

// record makes the gap record.
func (l *loss) record(now time.Time) *audit.Gap {
	return &audit.Gap{
		APIVersion: audit.APIVersion, Kind: audit.KindGap, Time: now.UTC(), From: l.from.UTC(), To: l.to.UTC(),
		Dropped: l.allowed + l.blocked, DroppedAllowed: l.allowed, DroppedBlocked: l.blocked,
	}
}
