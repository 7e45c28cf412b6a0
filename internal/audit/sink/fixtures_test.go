package sink

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/toolcall"
)

// verdict is one on one call.
func verdict(uid string, allowed bool) *audit.Verdict {
	return &audit.Verdict{
		Phase:  audit.PhaseCall,
		Caller: review.Caller{Kind: review.ServiceAccount, Namespace: "team", Name: "assistant", Via: "https"},
		Review: &toolcall.Review{UID: uid, Format: toolcall.Native, Calls: []toolcall.Call{{Name: "f", Arguments: []byte("{}")}}},
		Decision: &review.Decision{Response: reviewv1alpha1.ToolCallReviewResponse{
			UID: uid, Allowed: allowed, Results: []reviewv1alpha1.ToolCallResult{{Name: "f", Allowed: allowed}},
		}},
	}
}

// counts is an Observer that adds up.
type counts struct {
	mu             sync.Mutex
	written        int
	dropped        map[Reason]int
	failed         int
	records, bytes int
	mostRecords    int
	mostBytes      int
	// failures, if not nil, gets a value for each failure that there is room for.
	failures chan struct{}
}

func (c *counts) Written(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written += n
}

func (c *counts) Dropped(r Reason, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped == nil {
		c.dropped = map[Reason]int{}
	}
	c.dropped[r] += n
}

func (c *counts) Queued(records, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records, c.bytes = records, bytes
	c.mostRecords, c.mostBytes = max(c.mostRecords, records), max(c.mostBytes, bytes)
}

func (c *counts) Failed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed++
	select {
	case c.failures <- struct{}{}:
	default:
	}
}

// get gives what has been told so far.
func (c *counts) get() (written, dropped, failed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.dropped {
		dropped += n
	}
	return c.written, dropped, c.failed
}

func (c *counts) reason(r Reason) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropped[r]
}

// gate is a writer that lets writes pass as a test says.
type gate struct {
	mu   sync.Mutex
	text bytes.Buffer
	// pass, if not nil, holds up every write until it is closed.
	pass chan struct{}
	// fault, if not nil, ends every write after the first short bytes.
	fault error
	short int
}

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	pass := g.pass
	g.mu.Unlock()
	if pass != nil {
		<-pass
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fault != nil {
		n := min(g.short, len(p))
		g.text.Write(p[:n])
		return n, g.fault
	}
	return g.text.Write(p)
}

func (g *gate) set(fault error, short int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fault, g.short = fault, short
}

func (g *gate) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

// log is what was written, read back.
type log struct {
	uids   []string
	gaps   []audit.Gap
	broken int
}

func (l log) lost() (n int) {
	for _, g := range l.gaps {
		n += int(g.Dropped)
	}
	return n
}

func readLog(t testing.TB, text string) (l log) {
	t.Helper()
	r := audit.NewReader(strings.NewReader(text))
	for {
		line, err := r.Next()
		if err != nil {
			return l
		}
		switch {
		case line.Record != nil:
			l.uids = append(l.uids, line.Record.UID)
		case line.Gap != nil:
			l.gaps = append(l.gaps, *line.Gap)
		default:
			l.broken++
		}
	}
}

// start runs a sink. The returned function stops it and waits for its end.
func start(t testing.TB, opts Options) (*Sink, func()) {
	t.Helper()
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return s, sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func record(t testing.TB, s *Sink, uid string, allowed bool) {
	t.Helper()
	if err := s.Record(t.Context(), verdict(uid, allowed)); err != nil {
		t.Errorf("recording %s: %v", uid, err)
	}
}

var errDisk = errors.New("no space left on device")
