package semantic

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/callgate/callgate/internal/outbound"
)

// ask puts one question to the validator, on a connection of its own, once. A POST to a
// model is paid for, so nothing repeats it: not this function, and not net/http, which
// repeats what it sent on a connection that had been used before.
func (c *Client) ask(ctx context.Context, q Question, body []byte) Answer {
	client, err := outbound.NewClient(outbound.Options{
		Policy: c.opts.Upstreams, Timeout: q.Timeout, CABundle: q.CABundle,
		Resolver: c.opts.Resolver, Dial: c.opts.Dial,
	})
	if err != nil {
		return fail(CauseBadQuestion, err.Error()).answer()
	}
	defer client.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.Endpoint, bytes.NewReader(body))
	if err != nil {
		return fail(CauseBadQuestion, "the endpoint makes no request").answer()
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "callgate")
	if token := q.Token.reveal(); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return failed(err).answer()
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fail(CauseBadStatus, "status "+strconv.Itoa(resp.StatusCode)).answer()
	}
	data, err := outbound.ReadAll(resp.Body, maxAnswerBytes)
	if err != nil {
		return failed(err).answer()
	}
	return readAnswer(data, q.Token.reveal())
}

// failed is a failure of the guard.
func failed(err error) *failure {
	if e, ok := errors.AsType[*outbound.Error](err); ok {
		return fail(Cause(e.Cause), e.Detail)
	}
	return fail(CauseNoAnswer, "the call failed")
}
