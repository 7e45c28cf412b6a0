package webhooks

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

func TestVerdicts(t *testing.T) {
	h := newTestHandler(t)
	got := checkAnswer(t, serve(h, newRequest(allowed)))
	if got == nil || !got.Allowed || got.UID != "u-1" || !strings.HasPrefix(got.Revision, "sha256:") || len(got.Results) != 1 {
		t.Fatalf("the allow is %+v", got)
	}
	got = checkAnswer(t, serve(h, newRequest(envelope(`{"calls":[{"name":"drop_tables","arguments":{}}]}`))))
	if got == nil || got.Allowed || got.Results[0].Code != reviewv1alpha1.CodeUnknownTool {
		t.Fatalf("the block is %+v", got)
	}
	if len(got.UID) != 36 {
		t.Errorf("the generated uid is %q", got.UID)
	}
	r := newRequest(allowed)
	r.Header.Set("Authorization", "bearer stranger")
	if got = checkAnswer(t, serve(h, r)); got == nil || got.Allowed || got.Results[0].Code != reviewv1alpha1.CodeNoPolicy {
		t.Fatalf("the caller without policy gets %+v", got)
	}
}

func TestAnswersToWhatIsNoReview(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	header := func(k, v string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(k, v) }
	}
	cases := map[string]struct {
		body   string
		change func(*http.Request)
		want   int
	}{
		"GET":                  {change: func(r *http.Request) { r.Method = http.MethodGet }, want: 405},
		"HEAD":                 {change: func(r *http.Request) { r.Method = http.MethodHead }, want: 405},
		"PUT":                  {change: func(r *http.Request) { r.Method = http.MethodPut }, want: 405},
		"method in lower case": {change: func(r *http.Request) { r.Method = "post" }, want: 405},
		"other path":           {change: func(r *http.Request) { r.URL.Path = "/" }, want: 404},
		"GET of another path":  {change: func(r *http.Request) { r.URL.Path, r.Method = "/healthz", "GET" }, want: 404},
		"trailing slash":       {change: func(r *http.Request) { r.URL.Path += "/" }, want: 404},
		"other version":        {change: func(r *http.Request) { r.URL.Path = strings.Replace(ReviewPath, "v1alpha1", "v1", 1) }, want: 404},
		"path in other case":   {change: func(r *http.Request) { r.URL.Path = strings.ToUpper(ReviewPath) }, want: 404},

		"no type":           {change: func(r *http.Request) { r.Header.Del("Content-Type") }, want: 415},
		"yaml":              {change: header("Content-Type", "application/yaml"), want: 415},
		"text":              {change: header("Content-Type", "text/plain"), want: 415},
		"protobuf":          {change: header("Content-Type", "application/vnd.kubernetes.protobuf"), want: 415},
		"utf-16":            {change: header("Content-Type", "application/json; charset=utf-16"), want: 415},
		"broken type":       {change: header("Content-Type", "application/json; ="), want: 415},
		"two types":         {change: func(r *http.Request) { r.Header.Add("Content-Type", "text/plain") }, want: 415},
		"gzip":              {change: header("Content-Encoding", "gzip"), want: 415},
		"identity and gzip": {change: header("Content-Encoding", "identity, gzip"), want: 415},

		"no token":           {change: func(r *http.Request) { r.Header.Del("Authorization") }, want: 401},
		"basic":              {change: header("Authorization", "Basic YTpi"), want: 401},
		"two tokens":         {change: func(r *http.Request) { r.Header.Add("Authorization", "Bearer other") }, want: 401},
		"token alone":        {change: header("Authorization", "assistant"), want: 401},
		"no ServiceAccount":  {change: header("Authorization", "Bearer person"), want: 403},
		"identity not there": {change: header("Authorization", "Bearer outage"), want: 503},

		"2 MiB announced":       {body: strings.Repeat(" ", 2<<20), want: 413},
		"2 MiB unannounced":     {body: strings.Repeat(" ", 2<<20), change: func(r *http.Request) { r.ContentLength = -1 }, want: 413},
		"a byte over 1 MiB":     {body: allowed + strings.Repeat(" ", 1<<20+1-len(allowed)), want: 413},
		"empty":                 {body: " ", want: 400},
		"truncated":             {body: allowed[:len(allowed)-1], want: 400},
		"trailing":              {body: allowed + "x", want: 400},
		"two values":            {body: allowed + allowed, want: 400},
		"a list":                {body: "[]", want: 400},
		"null":                  {body: "null", want: 400},
		"NUL":                   {body: "\x00" + allowed, want: 400},
		"NUL in a string":       {body: strings.Replace(allowed, "u-1", "u\x00", 1), want: 400},
		"BOM":                   {body: "\ufeff" + allowed, want: 400},
		"invalid UTF-8":         {body: strings.Replace(allowed, "u-1", "\xff", 1), want: 400},
		"10,000 deep":           {body: deep, want: 400},
		"10,000 deep inside":    {body: envelope(`{"calls":` + deep + `}`), want: 400},
		"unknown key":           {body: strings.Replace(allowed, `"kind"`, `"spec":{},"kind"`, 1), want: 400},
		"unknown key in a call": {body: strings.Replace(allowed, `"id"`, `"ID2":1,"id"`, 1), want: 400},
		"duplicate key":         {body: strings.Replace(allowed, `"kind"`, `"kind":"ToolCallReview","kind"`, 1), want: 400},
		"case variant":          {body: strings.Replace(allowed, `"kind"`, `"Kind"`, 1), want: 400},
		"response only":         {body: `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","response":{"allowed":true}}`, want: 400},
		"other kind":            {body: strings.Replace(allowed, "ToolCallReview", "AdmissionReview", 1), want: 400},
		"no request":            {body: `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview"}`, want: 400},
		"calls and message":     {body: envelope(`{"calls":[{"name":"a","arguments":{}}],"message":{"format":"MCP","body":{}}}`), want: 400},
		"neither":               {body: envelope(`{}`), want: 400},
		"no calls":              {body: envelope(`{"calls":[]}`), want: 400},
		"129 calls":             {body: envelope(`{"calls":[` + strings.TrimSuffix(strings.Repeat(`{"name":"a","arguments":{}},`, 129), ",") + `]}`), want: 400},
		"long uid":              {body: envelope(`{"uid":"` + strings.Repeat("u", 129) + `","calls":[{"name":"a","arguments":{}}]}`), want: 400},
		"message without calls": {
			body: envelope(`{"message":{"format":"OpenAIChat","body":{"role":"assistant","content":"hello"}}}`), want: 422,
		},
	}
	h := newTestHandler(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			body := tc.body
			if body == "" {
				body = allowed
			}
			r := newRequest(body)
			if tc.change != nil {
				tc.change(r)
			}
			resp := serve(h, r)
			if resp.StatusCode != tc.want {
				t.Errorf("answer %d, want %d", resp.StatusCode, tc.want)
			}
			if got := checkAnswer(t, resp); got != nil {
				t.Errorf("there is a verdict: %+v", got)
			}
			checkHeaders(t, resp)
		})
	}
	checkIdle(t, h)
}

func checkHeaders(t *testing.T, resp *http.Response) {
	t.Helper()
	switch resp.StatusCode {
	case http.StatusMethodNotAllowed:
		if resp.Header.Get("Allow") != "POST" {
			t.Error("405 without Allow")
		}
	case http.StatusUnauthorized:
		if resp.Header.Get("WWW-Authenticate") == "" || resp.Header.Get("Connection") != "close" {
			t.Errorf("401 with %v", resp.Header)
		}
	}
}

func TestBodiesThatAreJustGoodEnough(t *testing.T) {
	h := newTestHandler(t)
	for name, change := range map[string]func(*http.Request){
		"charset":            func(r *http.Request) { r.Header.Set("Content-Type", `Application/JSON; Charset="UTF-8"`) },
		"another parameter":  func(r *http.Request) { r.Header.Set("Content-Type", "application/json; profile=x") },
		"identity":           func(r *http.Request) { r.Header.Set("Content-Encoding", "Identity") },
		"query":              func(r *http.Request) { r.URL.RawQuery = "dryRun=All&timeout=1s" },
		"unannounced length": func(r *http.Request) { r.ContentLength = -1 },
		"exactly 1 MiB": func(r *http.Request) {
			*r = *newRequest(allowed + strings.Repeat(" ", 1<<20-len(allowed)))
		},
	} {
		r := newRequest(allowed)
		change(r)
		if got := checkAnswer(t, serve(h, r)); got == nil || !got.Allowed {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestNotReady(t *testing.T) {
	h := newTestHandler(t, func(o *ReviewOptions) { o.Snapshots = &snapshot.Store{} })
	resp := serve(h, newRequest(allowed))
	if checkAnswer(t, resp); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("answer %d without a snapshot", resp.StatusCode)
	}
	r := newRequest(allowed)
	r.Header.Del("Authorization")
	if resp := serve(h, r); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger learns that nothing is ready: %d", resp.StatusCode)
	}
}

// swapper gives a newer set at every look.
type swapper struct {
	store *snapshot.Store
	loads int
}

func (s *swapper) Load() *snapshot.Snapshot { s.loads++; return s.store.Load() }

func TestOneReviewIsJudgedByOneSnapshot(t *testing.T) {
	s := &swapper{store: ready()}
	h := newTestHandler(t, func(o *ReviewOptions) { o.Snapshots = s })
	decoded := false
	h.decode = func(b []byte) (toolcall.Review, error) {
		decoded = true
		s.loads = 0
		return toolcall.DecodeReview(b)
	}
	checkAnswer(t, serve(h, newRequest(allowed)))
	if !decoded || s.loads != 1 {
		t.Errorf("the set was loaded %d times after decoding, want once", s.loads)
	}
}

func TestPanicIsNeverAnAllowNorA500(t *testing.T) {
	var lines logLines
	h := newTestHandler(t, func(o *ReviewOptions) { o.Log = lines.logger() })
	secret := "hunter2"
	h.cheap = nil
	h.judge = func(*snapshot.Snapshot, review.Caller, toolcall.Review, review.Answers) review.Decision {
		panic(fmt.Errorf("unexpected argument %s", secret))
	}
	resp := serve(h, newRequest(allowed))
	if checkAnswer(t, resp); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("answer %d", resp.StatusCode)
	}
	if s := lines.String(); !strings.Contains(s, "Judging a review failed") || strings.Contains(s, secret) {
		t.Errorf("the log is %s", s)
	}
	checkIdle(t, h)
}

func TestListsAreNeverNull(t *testing.T) {
	h := newTestHandler(t)
	h.cheap = nil
	h.judge = func(_ *snapshot.Snapshot, _ review.Caller, in toolcall.Review, answers review.Answers) review.Decision {
		return review.Decision{Response: reviewv1alpha1.ToolCallReviewResponse{UID: in.UID, Results: []reviewv1alpha1.ToolCallResult{{Code: "x"}}}}
	}
	checkAnswer(t, serve(h, newRequest(allowed)))
	h.cheap = nil
	h.judge = func(_ *snapshot.Snapshot, _ review.Caller, in toolcall.Review, answers review.Answers) review.Decision {
		return review.Decision{Response: reviewv1alpha1.ToolCallReviewResponse{UID: in.UID}}
	}
	checkAnswer(t, serve(h, newRequest(allowed)))
}

func TestAuditFindingsAreLogged(t *testing.T) {
	var lines logLines
	h := newTestHandler(t, func(o *ReviewOptions) { o.Log = lines.logger() })
	h.cheap = nil
	h.judge = func(_ *snapshot.Snapshot, _ review.Caller, in toolcall.Review, answers review.Answers) review.Decision {
		return review.Decision{
			Response: reviewv1alpha1.ToolCallReviewResponse{UID: in.UID, Allowed: true, Revision: "sha256:1"},
			Audit: []review.AuditFinding{
				{Index: 0, ID: "c1", Name: "get_ticket", Code: "invalid_arguments", Errors: []string{"missing:city"}, Policies: []string{"support/watch"}},
				{Index: 1, ID: "c2", Name: "get_ticket", Code: "unknown_tool"},
			},
		}
	}
	checkAnswer(t, serve(h, newRequest(allowed)))
	s := lines.String()
	if strings.Count(s, "\n") != 2 || !strings.Contains(s, `"uid":"u-1"`) || !strings.Contains(s, "missing:city") || strings.Contains(s, "T-1") {
		t.Errorf("the log is %s", s)
	}
}

func FuzzReviewHandler(f *testing.F) {
	f.Add([]byte(allowed), "application/json", "Bearer assistant")
	f.Add([]byte(envelope(`{"message":{"format":"MCP","body":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_ticket","arguments":{}}}}}`)), "application/json", "Bearer assistant")
	f.Add([]byte(envelope(`{"calls":[{"name":"get_ticket","argumentsText":"{\"a\":1}"}]}`)), "application/json;charset=utf-8", "Bearer other")
	f.Add([]byte("\x00"), "text/plain", "")
	h := newTestHandler(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType, authorization string) {
		r := newRequest(string(body))
		r.Header["Content-Type"] = []string{contentType}
		r.Header["Authorization"] = []string{authorization}
		resp := serve(h, r)
		switch resp.StatusCode {
		case http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
			http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
			http.StatusUnprocessableEntity, http.StatusServiceUnavailable:
		default:
			t.Errorf("answer %d", resp.StatusCode)
		}
		if resp.StatusCode == http.StatusServiceUnavailable && authorization != "" && !strings.HasSuffix(strings.TrimSpace(authorization), "outage") {
			t.Error("judging failed")
		}
		if got := checkAnswer(t, resp); got != nil && got.Allowed {
			for _, one := range got.Results {
				if one.Name != "get_ticket" {
					t.Errorf("allowed %q", one.Name)
				}
			}
		}
	})
}

func BenchmarkReviewHandler(b *testing.B) {
	h := newTestHandler(b)
	b.ReportAllocs()
	for b.Loop() {
		if resp := serve(h, newRequest(allowed)); resp.StatusCode != http.StatusOK {
			b.Fatal(resp.StatusCode)
		}
	}
}
