package semantic

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/utils/clock"
)

// Client asks validators. It is safe for concurrent use. Close must be called for its
// goroutines to end at once; without it each ends with its question's timeout.
type Client struct {
	opts     Options
	clock    clock.PassiveClock
	observer Observer
	keys     keyer

	// base is the context of every question; cancel ends it, work counts them.
	base   context.Context //nolint:containedctx // questions outlive the callers that begin them; this is their owner's life
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	answers *cache
	lanes   *lanes
	flights map[cacheKey]*flight
	closed  bool
}

// flight is one question that any number of callers may wait for.
type flight struct {
	done chan struct{}
	// answer is written before done is closed.
	answer Answer
}

// New makes a Client. It fails only if the options make no sense.
func New(opts Options) (*Client, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("checking the semantic validator's options: %w", err)
	}
	opts = opts.complete()
	c := &Client{
		opts: opts, clock: opts.Clock, observer: opts.Observer, keys: newKeyer(),
		answers: newCache(opts.MaxAnswers, opts.MaxAnswerBytes),
		lanes:   newLanes(opts),
		flights: map[cacheKey]*flight{},
	}
	c.base, c.cancel = context.WithCancel(context.Background()) //nolint:forbidigo // the life of questions is the client's, which ends with Close
	return c, nil
}

// Close ends every question and waits for them. Afterwards every answer is CauseClosed.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.work.Wait()
}

// Validate answers a question: from memory, by waiting for an equal question that is
// being asked, or by asking. It returns within the question's timeout. ctx ends the
// wait and not the question, whose answer others may wait for.
//
// An answer whose Cause is not "" is always a block. The question's bytes are not used
// after Validate has returned.
func (c *Client) Validate(ctx context.Context, q Question) Answer {
	answer, source := c.validate(ctx, q)
	c.observer.Validated(source, answer.Outcome())
	return answer
}

func (c *Client) validate(ctx context.Context, q Question) (Answer, Source) {
	q, endpoint, f := q.complete()
	if f != nil {
		return f.answer(), SourceRefused
	}
	if err := c.opts.Upstreams.CheckURL(endpoint); err != nil {
		return failed(err).answer(), SourceRefused
	}
	body := requestBody(q)
	if len(body) > c.opts.MaxRequestBytes {
		return fail(CauseBadQuestion, "the declared tools, schemas and offered tools are too large to ask about").answer(), SourceRefused
	}
	answer, flight, source := c.join(ctx, c.keys.of(q, body), q, body)
	if flight == nil {
		return answer, source
	}
	select {
	case <-flight.done:
		return flight.answer, source
	case <-ctx.Done():
		return fail(CauseCanceled, "the caller stopped waiting").answer(), source
	}
}

// join finds an answer, or the question that will have it, or begins one. Without a
// flight the answer is final.
func (c *Client) join(ctx context.Context, key cacheKey, q Question, body []byte) (Answer, *flight, Source) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fail(CauseClosed, "the client is closed").answer(), nil, SourceRefused
	}
	if answer, ok := c.answers.get(key, c.clock.Now()); ok {
		return answer, nil, SourceCache
	}
	if f, ok := c.flights[key]; ok {
		return Answer{}, f, SourceShared
	}
	if ctx.Err() != nil {
		return fail(CauseCanceled, "the caller stopped waiting").answer(), nil, SourceRefused
	}
	own, ok := c.lanes.enter(q.Policy, len(body))
	if !ok {
		return fail(CauseBusy, "too many questions wait already").answer(), nil, SourceRefused
	}
	f := &flight{done: make(chan struct{})}
	c.flights[key] = f
	// What the caller holds may change once it has gone; the body is our own.
	q.DeclaredTools, q.Schemas, q.RequestTools = nil, nil, nil
	q.CABundle = append([]byte(nil), q.CABundle...)
	c.work.Go(func() { c.fly(own, f, key, q, body) })
	return Answer{}, f, SourceAsked
}

// fly asks one question. It belongs to the client and not to the caller that began it.
func (c *Client) fly(own *lane, f *flight, key cacheKey, q Question, body []byte) {
	ctx, cancel := context.WithTimeout(c.base, q.Timeout)
	defer cancel()
	began := c.clock.Now()
	f.answer = c.inTurn(ctx, own, q, body)
	c.observer.Asked(f.answer.Outcome(), c.clock.Since(began))

	c.mu.Lock()
	if f.answer.Cause == "" {
		c.answers.put(key, f.answer, began.Add(c.opts.AnswerTTL))
	}
	delete(c.flights, key)
	c.lanes.leave(own, len(body))
	c.mu.Unlock()
	close(f.done)
}

// survive asks, and makes a panic a failed validation: in a goroutine of its own it would
// end the process.
func (c *Client) survive(ctx context.Context, q Question, body []byte) (a Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = fail(CausePanicked, fmt.Sprintf("panic of type %T", p)).answer()
		}
	}()
	return c.ask(ctx, q, body)
}

func (c *Client) inTurn(ctx context.Context, own *lane, q Question, body []byte) Answer {
	if !c.lanes.start(ctx, own) {
		if c.base.Err() != nil {
			return fail(CauseClosed, "the client is closed").answer()
		}
		return fail(CauseBusy, "earlier questions left no time for this one").answer()
	}
	defer c.lanes.stop(own)
	c.observer.InFlight(1)
	defer c.observer.InFlight(-1)
	answer := c.survive(ctx, q, body)
	if answer.Cause != "" && c.base.Err() != nil {
		return fail(CauseClosed, "the client is closed").answer()
	}
	return answer
}
