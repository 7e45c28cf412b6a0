package webhooks

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/review"
)

// traced is a handler whose spans are kept.
func traced(t *testing.T, change ...func(*ReviewOptions)) (*ReviewHandler, *tracetest.InMemoryExporter) {
	t.Helper()
	kept := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept), sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())))
	return newTestHandler(t, append([]func(*ReviewOptions){func(o *ReviewOptions) {
		o.OfferIdentity, o.ExecutionIdentity, o.Tracer = passport{}, passport{}, provider.Tracer("test")
	}}, change...)...), kept
}

// tree gives the names of the spans inside of the first that ended last, and that one.
func tree(t *testing.T, kept *tracetest.InMemoryExporter) (root tracetest.SpanStub, parts []string) {
	t.Helper()
	spans := kept.GetSpans()
	if len(spans) == 0 {
		t.Fatal("there are no spans")
	}
	root = spans[len(spans)-1]
	for _, s := range spans[:len(spans)-1] {
		if s.Parent.SpanID() != root.SpanContext.SpanID() || s.SpanContext.TraceID() != root.SpanContext.TraceID() {
			t.Errorf("%s is no part of %s", s.Name, root.Name)
		}
		parts = append(parts, s.Name)
	}
	return root, parts
}

func attributes(s tracetest.SpanStub) map[attribute.Key]string {
	all := map[attribute.Key]string{}
	for _, kv := range s.Attributes {
		all[kv.Key] = kv.Value.String()
	}
	return all
}

func TestAReviewIsASpanOfItsParts(t *testing.T) {
	executor := &hand{outcome: review.Outcome{Code: reviewv1alpha1.CodeNotFound, Cause: "no_record"}}
	for about, test := range map[string]struct {
		path, body string
		change     func(*ReviewOptions)
		name       string
		parts      []string
	}{
		"a call":          {ReviewPath, allowed, nil, "toolcallreviews", []string{"identity", "decode", "judge"}},
		"a recorded call": {ReviewPath, allowed, func(o *ReviewOptions) { o.Auditor = &auditor{required: true} }, "toolcallreviews", []string{"identity", "decode", "judge", "record"}},
		"an offer":        {OfferPath, anOffer, nil, "toolrequestreviews", []string{"identity", "decode", "judge"}},
		"an execution":    {ExecutionPath, anExecution, executing(executor), "toolcallexecutions", []string{"identity", "decode", "judge", "execute"}},
		"an offer that a validator is asked about": {
			OfferPath, strings.Replace(anOffer, "get_ticket", "web_search", 1), offering(&port{answer: review.Answer{Valid: true}}, judging()),
			"toolrequestreviews", []string{"identity", "decode", "judge", "validator"},
		},
		"a call that RBAC is asked about": {
			ReviewPath, envelope(strings.Replace(tenantCall, "{", `{"uid":"u-1",`, 1)), func(o *ReviewOptions) {
				o.Snapshots, o.Authorizer = granting(), &fakeAuthorizer{answer: review.Granted}
			},
			"toolcallreviews", []string{"identity", "decode", "access", "judge"},
		},
		"a body that is none": {ReviewPath, "{}", nil, "toolcallreviews", []string{"identity", "decode"}},
	} {
		t.Run(about, func(t *testing.T) {
			change := test.change
			if change == nil {
				change = func(*ReviewOptions) {}
			}
			h, kept := traced(t, change)
			resp := postAs(h, test.path, "assistant", test.body)
			root, parts := tree(t, kept)
			if root.Name != test.name || root.SpanKind != trace.SpanKindServer || !slices.Equal(parts, test.parts) {
				t.Errorf("the span %s of kind %v has the parts %v, want %v", root.Name, root.SpanKind, parts, test.parts)
			}
			got := attributes(root)
			if got[attrStatus] != fmt.Sprint(resp.StatusCode) || got[attrNamespace] != "support" || got[attrAccount] != "assistant" {
				t.Errorf("answered %d, and the span has %v", resp.StatusCode, got)
			}
			if resp.StatusCode == http.StatusOK && (got[attrUID] == "" || !strings.HasPrefix(got[attrRevision], "sha256:") || got[attrCodes] == "" || got[attrAllowed] == "") {
				t.Errorf("a verdict's span has %v", got)
			}
		})
	}
}

func TestSpansHaveNothingThatAModelWrote(t *testing.T) {
	h, kept := traced(t)
	body := envelope(`{"uid":"u-1","calls":[{"id":"S3CRET-id","name":"S3CRET_tool","arguments":{"S3CRET_key":"S3CRET value"}},{"id":"c2","name":"get_ticket","arguments":{}}]}`)
	if got := postAs(h, ReviewPath, "assistant", body); got.StatusCode != http.StatusOK {
		t.Fatalf("answered %d", got.StatusCode)
	}
	for _, s := range kept.GetSpans() {
		if text := fmt.Sprint(s.Name, s.Attributes, s.Events, s.Status); strings.Contains(text, "S3CRET") || strings.Contains(text, "get_ticket") {
			t.Errorf("a span has %s", text)
		}
	}
	root, _ := tree(t, kept)
	if got := attributes(root); got[attrCalls] != "2" || got[attrCodes] != `["unknown_tool","ok"]` || got[attrAllowed] != "false" {
		t.Errorf("the span has %v", got)
	}
}

func TestStrangersAreNotTraced(t *testing.T) {
	h, kept := traced(t)
	for _, caller := range []string{"", "person"} {
		postAs(h, ReviewPath, caller, allowed)
	}
	postAs(h, "/", "assistant", allowed)
	if spans := kept.GetSpans(); len(spans) > 0 {
		t.Errorf("there are the spans %v", spans.Snapshots())
	}
	postAs(h, ReviewPath, "outage", allowed)
	root, parts := tree(t, kept)
	if got := attributes(root); got[attrStatus] != "503" || got[attrReason] != "ServiceUnavailable" || got[attrAccount] != "" || !slices.Equal(parts, []string{"identity"}) {
		t.Errorf("while nobody can be identified there are %v and %v", got, parts)
	}
}

func TestAReviewIsPartOfItsCallersTrace(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	for header, want := range map[string]struct {
		spans int
		id    string
	}{
		"00-" + id + "-b7ad6b7169203331-01": {4, id},
		"00-" + id + "-b7ad6b7169203331-00": {0, ""},
		"00-" + id + "-0000000000000000-01": {4, ""},
		"rubbish":                           {4, ""},
		"":                                  {4, ""},
	} {
		h, kept := traced(t)
		r := newRequest(allowed)
		if header != "" {
			r.Header.Set("Traceparent", header)
		}
		checkAnswer(t, serve(h, r))
		spans := kept.GetSpans()
		if len(spans) != want.spans {
			t.Errorf("traceparent %q: %d spans, want %d", header, len(spans), want.spans)
			continue
		}
		if want.spans == 0 {
			continue
		}
		if root := spans[len(spans)-1]; want.id != "" && (root.SpanContext.TraceID().String() != want.id || root.Parent.SpanID().String() != "b7ad6b7169203331") ||
			want.id == "" && root.SpanContext.TraceID().String() == id {
			t.Errorf("traceparent %q: the trace is %s, in %s", header, root.SpanContext.TraceID(), root.Parent.SpanID())
		}
	}
}

// What is not traced costs nothing: no allocation more than without the code.
func TestTracingThatIsOffCostsNothing(t *testing.T) {
	h := newTestHandler(t)
	r := httptest.NewRequest(http.MethodPost, ReviewPath, http.NoBody)
	a := answer{code: http.StatusServiceUnavailable, reason: reasonNotReady}
	results := make([]reviewv1alpha1.ToolCallResult, 3)
	got := testing.AllocsPerRun(100, func() {
		ctx, span := h.beginTrace(r, "toolcallreviews", h.opts.Clock.Now(), review.Caller{Name: "assistant"}, nil)
		inner, part := h.part(ctx, spanJudge)
		traceVerdict(inner, "u", "sha256:a", true, results)
		part.End()
		endTrace(span, &a)
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// BenchmarkReview is one verdict without the wire, and with its trace kept or not.
func BenchmarkReview(b *testing.B) {
	for name, sampler := range map[string]sdktrace.Sampler{"off": nil, "not sampled": sdktrace.NeverSample(), "sampled": sdktrace.AlwaysSample()} {
		b.Run(name, func(b *testing.B) {
			h := newTestHandler(b, func(o *ReviewOptions) {
				if sampler != nil {
					o.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSampler(sampler)).Tracer("bench")
				}
			})
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), newRequest(allowed))
			}
		})
	}
}
