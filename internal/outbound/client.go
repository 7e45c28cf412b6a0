package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	// maxHeaderBytes bounds the answer's status line and headers, informational ones
	// included: twice what the decision endpoint takes from its own clients.
	maxHeaderBytes = 32 << 10
	// maxIdle and maxIdlePerHost bound the connections that wait for a next call. More
	// calls at once than four to one host are rare, and then pay for a handshake.
	maxIdle        = 16
	maxIdlePerHost = 4
	// idleTimeout ends them: shorter than the 60 s after which common servers and load
	// balancers close theirs, so that no call meets a connection that is being closed.
	idleTimeout = 30 * time.Second
	// pingAfter and pingTimeout notice a dead HTTP/2 connection, as the decision
	// endpoint does for its own.
	pingAfter   = 15 * time.Second
	pingTimeout = 5 * time.Second
	// The HTTP/2 windows: what a connection may send unread. The default lets a stream
	// fill 4 MiB and a connection 1 GiB of memory; answers are a few KiB.
	maxStreamBytes     = 256 << 10
	maxConnectionBytes = 1 << 20
	// bufferBytes is the read and the write buffer of a connection, net/http's default.
	bufferBytes = 4 << 10
)

// Options are the settings of a Client. Policy and Timeout have no meaning when zero:
// nothing is allowed, and no Client is made.
type Options struct {
	Policy Policy
	// Timeout bounds one call from its begin to the end of its body. The context of the
	// request may end it sooner.
	Timeout time.Duration
	// CABundle is PEM certificates to trust instead of the system's. Empty: the system's.
	CABundle []byte
	// KeepAlive keeps connections for later calls, by HTTP/2 where the server offers it.
	// Without it each call has an HTTP/1.1 connection of its own, which ends with the
	// call's context or when its body is closed.
	KeepAlive bool

	// Resolver looks names up. Nil: the system's.
	Resolver Resolver
	// Dial connects, for tests; it replaces the check that the kernel's address gets,
	// not the one before it. Nil: TCP.
	Dial DialFunc
}

// Client makes calls that a Policy allows. It follows no redirect, takes no proxy from
// the environment, keeps no cookie, asks for no compression, and never repeats a call.
// It is safe for concurrent use.
type Client struct {
	policy    Policy
	timeout   time.Duration
	transport *http.Transport
	client    *http.Client
}

// NewClient fails if the CA bundle cannot be read or the timeout is not positive.
func NewClient(o Options) (*Client, error) {
	if o.Timeout <= 0 {
		return nil, errors.New("making an outbound client: give a timeout above zero")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if len(o.CABundle) > 0 {
		var err error
		if config.RootCAs, err = ParseCABundle(o.CABundle); err != nil {
			return nil, err
		}
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	if o.KeepAlive {
		protocols.SetHTTP2(true)
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	d := &dialer{policy: o.Policy, resolver: o.Resolver, dial: o.Dial, tls: config, oneCall: !o.KeepAlive}
	if d.resolver == nil {
		d.resolver = net.DefaultResolver
	}
	t := &http.Transport{
		Proxy:                  nil,
		DialContext:            d.dialPlain,
		DialTLSContext:         d.dialTLS,
		TLSClientConfig:        config,
		Protocols:              protocols,
		DisableKeepAlives:      !o.KeepAlive,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
		ResponseHeaderTimeout:  o.Timeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ReadBufferSize:         bufferBytes,
		WriteBufferSize:        bufferBytes,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:               pingAfter,
			PingTimeout:                   pingTimeout,
			MaxReceiveBufferPerStream:     maxStreamBytes,
			MaxReceiveBufferPerConnection: maxConnectionBytes,
		},
	}
	return &Client{
		policy: o.Policy, timeout: o.Timeout, transport: t,
		client: &http.Client{Transport: t, CheckRedirect: stay},
	}, nil
}

// stay makes a redirect the answer.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Do makes one call. The error is an *Error. The answer may have any status but 3xx,
// and its body must be closed; reading it gives *Error too.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if err := c.policy.CheckURL(req.URL); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(req.Context(), c.timeout)
	ctx = withCall(ctx)
	resp, err := c.client.Do(req.WithContext(ctx)) //nolint:gosec // the policy has judged the URL, and judges the address at dial
	if err != nil {
		defer cancel()
		return nil, classify(ctx, err)
	}
	resp.Body = &body{ctx: ctx, cancel: cancel, inner: resp.Body}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		_ = resp.Body.Close()
		return nil, &Error{Cause: CauseRedirect, Detail: "the answer is a redirect, and none is followed: write the URL that it leads to"}
	}
	return resp, nil
}

// Close ends the connections that wait for a next call.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// body ends its call when it is closed.
type body struct {
	ctx    context.Context //nolint:containedctx // the call's, whose end is this body's
	cancel context.CancelFunc
	inner  io.ReadCloser
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	// An end that comes after the call's is none: giving a call up makes the far side
	// finish what it was about to say, wherever it was.
	if err != nil && (!errors.Is(err, io.EOF) || b.ctx.Err() != nil) {
		err = classify(b.ctx, err)
	}
	return n, err
}

func (b *body) Close() error {
	defer b.cancel()
	return b.inner.Close()
}

// ReadAll reads a body to its end. One that is longer than limit bytes is an *Error
// with CauseTooLarge, after at most one byte more was read.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		if _, ok := errors.AsType[*Error](err); !ok {
			err = &Error{Cause: CauseNoAnswer, Detail: system(err, "the body ended early")}
		}
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &Error{Cause: CauseTooLarge, Detail: "the answer is larger than the bound"}
	}
	return data, nil
}
