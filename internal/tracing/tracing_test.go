package tracing

import (
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// counts is an Observer that adds up.
type counts struct{ ended, taken, lost atomic.Int64 }

func (c *counts) Ended() { c.ended.Add(1) }

func (c *counts) Sent(ok bool, spans int) {
	if ok {
		c.taken.Add(int64(spans))
	} else {
		c.lost.Add(int64(spans))
	}
}

func (c *counts) String() string {
	return fmt.Sprint(c.ended.Load(), " ended, ", c.taken.Load(), " taken, ", c.lost.Load(), " lost")
}

// start runs a Tracing. The returned function stops it and waits for its end.
func start(t *testing.T, opts Options) (*Tracing, func()) {
	t.Helper()
	if opts.Endpoint == "" {
		opts.Endpoint = "https://collector.example.org/v1/traces"
	}
	traces, err := New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- traces.Run(ctx) }()
	return traces, sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// receiver is an OTLP receiver on loopback.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	paths  []string
	spans  []string
	answer func(http.ResponseWriter)
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.paths = append(r.paths, req.Method+" "+req.URL.Path+" "+req.Header.Get("X-Key"))
		body, err := gzip.NewReader(req.Body)
		if err != nil {
			t.Error(err)
			return
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
		}
		if r.answer != nil {
			r.answer(w)
			return
		}
		var got collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(text, &got); err != nil {
			t.Error(err)
		}
		for _, resource := range got.ResourceSpans {
			for _, kv := range resource.Resource.Attributes {
				r.spans = append(r.spans, kv.Key+"="+kv.Value.GetStringValue())
			}
			for _, of := range resource.ScopeSpans {
				for _, span := range of.Spans {
					r.spans = append(r.spans, span.Name)
				}
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(r.Certificate())
	return pool
}

func (t *Tracing) spans(ctx context.Context, n int) {
	for i := range n {
		_, span := t.Tracer().Start(ctx, fmt.Sprint("review-", i))
		span.End()
	}
}

func TestSpansReachTheReceiverThatWasNamed(t *testing.T) {
	elsewhere := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", elsewhere.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", elsewhere.URL)
	t.Setenv("HTTPS_PROXY", elsewhere.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "X-Key=k3y")
	r, seen := newReceiver(t), &counts{}
	traces, stop := start(t, Options{Endpoint: r.URL + "/some/path", Roots: r.roots(), SampleRatio: 1, Version: "v1", Instance: "callgate-0", Observer: seen})
	traces.spans(t.Context(), 3)
	stop()
	slices.Sort(r.spans)
	want := []string{"review-0", "review-1", "review-2", "service.instance.id=callgate-0", "service.name=callgate", "service.version=v1"}
	if !slices.Equal(r.spans, want) || !slices.Equal(r.paths, []string{"POST /some/path k3y"}) {
		t.Errorf("the receiver got %q at %q", r.spans, r.paths)
	}
	if len(elsewhere.paths) > 0 {
		t.Errorf("another got %q", elsewhere.paths)
	}
	if got := seen.String(); got != "3 ended, 3 taken, 0 lost" {
		t.Error(got)
	}
}

func TestSpansThatTheReceiverRefusesAreLost(t *testing.T) {
	elsewhere := newReceiver(t)
	for about, answer := range map[string]func(http.ResponseWriter){
		"a fault": func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadRequest) },
		"a redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
	} {
		r, seen := newReceiver(t), &counts{}
		r.answer = answer
		traces, stop := start(t, Options{Endpoint: r.URL, Roots: r.roots(), SampleRatio: 1, Observer: seen})
		traces.spans(t.Context(), 3)
		stop()
		if got := seen.String(); got != "3 ended, 0 taken, 3 lost" || len(elsewhere.paths) > 0 {
			t.Errorf("%s: %s; another got %q", about, got, elsewhere.paths)
		}
	}
	r, seen := newReceiver(t), &counts{}
	traces, stop := start(t, Options{Endpoint: r.URL, Roots: x509.NewCertPool(), SampleRatio: 1, Observer: seen})
	traces.spans(t.Context(), 1)
	stop()
	if got := seen.String(); got != "1 ended, 0 taken, 1 lost" || len(r.spans) > 0 {
		t.Errorf("a receiver that nobody vouches for: %s; it got %q", got, r.spans)
	}
}

// stuck is an exporter that ends with its context.
type stuck struct{ began chan struct{} }

func (s stuck) ExportSpans(ctx context.Context, _ []sdktrace.ReadOnlySpan) error {
	select {
	case s.began <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return errors.New("cut off")
}

func (stuck) Shutdown(context.Context) error { return nil }

func TestAReceiverThatHangsHoldsUpNothing(t *testing.T) {
	seen, hung := &counts{}, stuck{make(chan struct{}, 1)}
	traces, stop := start(t, Options{
		SampleRatio: 1, MaxQueue: 8, Interval: time.Millisecond, SendTimeout: time.Hour, FlushTimeout: 50 * time.Millisecond,
		Observer: seen, exporter: hung,
	})
	traces.spans(t.Context(), 1)
	<-hung.began
	traces.spans(t.Context(), 100)
	stop()
	if ended, lost := seen.ended.Load(), seen.lost.Load(); ended != 101 || lost == 0 || lost > 1+8+2 || seen.taken.Load() != 0 {
		t.Errorf("%s with room for 8", seen)
	}
}

func TestSampling(t *testing.T) {
	remote := func(flags trace.TraceFlags, first byte) context.Context {
		return trace.ContextWithRemoteSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
			// The ratio is compared with the id's last eight bytes.
			TraceID: trace.TraceID{1, 8: first}, SpanID: trace.SpanID{1}, TraceFlags: flags, Remote: true,
		}))
	}
	const low, high = 0x00, 0xff
	for about, test := range map[string]struct {
		ratio  float64
		ignore bool
		ctx    context.Context
		want   bool
	}{
		"all":                               {1, false, t.Context(), true},
		"none":                              {0, false, t.Context(), false},
		"the caller says yes":               {0, false, remote(trace.FlagsSampled, high), true},
		"the caller says no":                {1, false, remote(0, low), false},
		"its yes is ignored":                {0, true, remote(trace.FlagsSampled, low), false},
		"its no is ignored":                 {1, true, remote(0, high), true},
		"the id is in the share":            {0.5, true, remote(0, low), true},
		"the id is not in the share":        {0.5, true, remote(trace.FlagsSampled, high), false},
		"the id is not in it, but followed": {0.5, false, remote(trace.FlagsSampled, high), true},
	} {
		traces, stop := start(t, Options{SampleRatio: test.ratio, IgnoreParent: test.ignore, exporter: stuck{}, FlushTimeout: time.Millisecond})
		_, span := traces.Tracer().Start(test.ctx, "review")
		if got := span.SpanContext().IsSampled(); got != test.want {
			t.Errorf("%s: sampled is %v", about, got)
		}
		stop()
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for about, o := range map[string]Options{
		"no endpoint":        {},
		"no scheme":          {Endpoint: "collector:4318"},
		"a password":         {Endpoint: "https://user:s3cret@collector/"},
		"a query":            {Endpoint: "https://collector/?key=s3cret"},
		"no host":            {Endpoint: "https:///v1/traces"},
		"no URL":             {Endpoint: "https://collector/%s3cret"},
		"more than all":      {Endpoint: "https://collector/", SampleRatio: 1.1},
		"less than none":     {Endpoint: "https://collector/", SampleRatio: -0.1},
		"a bound below zero": {Endpoint: "https://collector/", MaxQueue: -1},
	} {
		if _, err := New(t.Context(), o); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", about, err)
		}
	}
}
