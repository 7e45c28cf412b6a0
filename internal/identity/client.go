package identity

import (
	"net"
	"time"

	"k8s.io/client-go/rest"
)

// dialTimeout is the time for one TCP connection. It is below the deadline, so that a
// black-holed address leaves room for a second attempt on another.
const dialTimeout = time.Second

// ClientConfig returns a copy of base that fits an Authenticator with opts: without
// client-go's own rate limit (the lanes limit, and count waiting into the deadline),
// and with a bound on connecting and on each request.
func ClientConfig(base *rest.Config, opts Options) *rest.Config {
	config := rest.CopyConfig(base)
	config.QPS = -1
	config.Burst = -1
	config.RateLimiter = nil
	config.Timeout = opts.Deadline
	if config.Dial == nil {
		config.Dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	}
	return config
}
