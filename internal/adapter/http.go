package adapter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/outbound"
)

// The headers by which a backend knows whose call it is. They say what Callgate knows,
// not the model, and no part of an adapter can set them.
const (
	HeaderTenant         = "Callgate-Tenant"
	HeaderCaller         = "Callgate-Caller"
	HeaderIdempotencyKey = "Idempotency-Key"
)

// Tokens gives tokens of Callgate's own ServiceAccount for an audience. It must heed
// ctx, and may keep tokens. The text of its error goes nowhere.
type Tokens interface {
	Token(ctx context.Context, audience string) (string, error)
}

// ask sends one request, once, and reads the record of its answer. A failure is an
// outcome; the record is nil then.
func (e *Executor) ask(ctx context.Context, t *task) ([]byte, Outcome) {
	b := t.adapter.http
	req, err := http.NewRequestWithContext(ctx, string(b.method), t.url.String(), nil)
	if err != nil {
		return nil, fail(CauseBadCall, "the adapter makes no request")
	}
	if t.body != nil {
		req.Body = io.NopCloser(bytes.NewReader(t.body))
		req.ContentLength = int64(len(t.body))
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "callgate")
	if t.tenant != "" {
		req.Header.Set(HeaderTenant, t.tenant)
	}
	req.Header.Set(HeaderCaller, t.caller)
	req.Header.Set(HeaderIdempotencyKey, t.id.uid)
	if b.audience != "" {
		token, err := e.opts.Tokens.Token(ctx, b.audience)
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		if err != nil || !headerSafe(token) {
			return nil, fail(CauseNoToken, "there is no token for the adapter's audience")
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, failed(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return e.record(t, resp)
}

// record reads an answer.
func (e *Executor) record(t *task, resp *http.Response) ([]byte, Outcome) {
	b := t.adapter.http
	switch resp.StatusCode {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted:
	case http.StatusNoContent:
		// What was done and has nothing to show is done; a record that was asked for and
		// does not come is not.
		if b.method != callgatev1alpha1.MethodGet {
			return []byte("{}"), Outcome{}
		}
		return nil, fail(CauseBadStatus, "status 204")
	case http.StatusNotFound:
		return nil, fail(CauseNoRecord, "status 404")
	default:
		return nil, fail(CauseBadStatus, "status "+strconv.Itoa(resp.StatusCode))
	}
	if resp.ContentLength > b.limit {
		return nil, fail(CauseTooLarge, "the answer is larger than maxResponseBytes")
	}
	body := &charged{inner: resp.Body, take: func(n int) bool { return e.charge(t, n) }}
	data, err := outbound.ReadAll(body, b.limit)
	switch {
	case body.refused:
		return nil, fail(CauseBusy, "other answers take the room that there is")
	case err != nil:
		return nil, failed(err)
	}
	return data, Outcome{}
}

// failed is a failure of the guard.
func failed(err error) Outcome {
	if e, ok := errors.AsType[*outbound.Error](err); ok {
		return fail(Cause(e.Cause), e.Detail)
	}
	return fail(CauseNoAnswer, "the call failed")
}

// charged asks for the room that a body takes, piece by piece: what a backend may send
// is far more than what most of them do.
type charged struct {
	inner   io.Reader
	take    func(n int) bool
	refused bool
}

var errCharged = errors.New("no room for the body")

func (c *charged) Read(p []byte) (int, error) {
	n, err := c.inner.Read(p)
	if n > 0 && !c.take(n) {
		c.refused = true
		return 0, errCharged
	}
	return n, err
}

// headerSafe reports whether a header can hold the value as it is.
func headerSafe(value string) bool {
	for _, c := range []byte(value) {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return value != ""
}
