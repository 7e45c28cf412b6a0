package adapter

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/outbound/outboundtest"
)

func TestTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, answers(200, ticket))
		token := &tokens{token: "sa-token"}
		e := executor(t, func(o *Settings) { o.Tokens = token })
		a := s.adapter(t, audience("callgate.dev/support/tickets"))
		got := e.Execute(t.Context(), call(t, a, arguments(`{"ticket_id":"T 1&é?#"}`)))
		if !got.OK() || string(got.Result) != shownAs || got.Cause != "" {
			t.Fatalf("got %+v", got)
		}
		sent := s.asked()[0]
		if sent.method != "GET" || sent.uri != "/v1/alpha/tickets/T%201%26%C3%A9%3F%23" || sent.host != "tickets.support.svc" || sent.body != "" {
			t.Errorf("sent %+v", sent)
		}
		want := map[string]string{
			HeaderTenant: "alpha", HeaderCaller: "system:serviceaccount:support:assistant", HeaderIdempotencyKey: "uid-1",
			"Authorization": "Bearer sa-token", "Accept": "application/json", "User-Agent": "callgate", "Connection": "close",
		}
		for name, value := range want {
			if v := sent.header.Values(name); len(v) != 1 || v[0] != value {
				t.Errorf("%s is %q", name, v)
			}
		}
		if len(sent.header) != len(want) {
			t.Errorf("sent %v", sent.header)
		}
		if len(token.asked) != 1 || token.asked[0] != "callgate.dev/support/tickets" {
			t.Errorf("tokens for %q", token.asked)
		}
	})
}

func TestMethods(t *testing.T) {
	for m, tc := range map[callgatev1alpha1.HTTPMethod]struct {
		body   string
		answer int
		want   string
	}{
		"GET": {"", 204, ""}, "DELETE": {"", 204, "{}"},
		"POST": {`{"ticket_id":"TKT-104"}`, 204, "{}"}, "PUT": {`{"ticket_id":"TKT-104"}`, 204, "{}"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStub(t, answers(tc.answer, ""))
			got := executor(t).Execute(t.Context(), call(t, s.adapter(t, method(m))))
			if string(got.Result) != tc.want || got.OK() != (tc.want != "") {
				t.Errorf("%s: got %+v", m, got)
			}
			sent := s.asked()[0]
			if sent.method != string(m) || sent.body != tc.body || (sent.header.Get("Content-Type") == "application/json") != (tc.body != "") {
				t.Errorf("sent %+v", sent)
			}
			if _, ok := sent.header["Authorization"]; ok {
				t.Error("a token was sent that nobody asked for")
			}
		})
	}
}

func TestAnswersAndFailures(t *testing.T) {
	const notFound, upstream, late = "not_found", "upstream_error", "upstream_timeout"
	type web = func(*callgatev1alpha1.AdapterHTTP)
	limit := func(n int32) web { return func(h *callgatev1alpha1.AdapterHTTP) { h.MaxResponseBytes = n } }
	resolves := func(addrs ...string) Options {
		return Options{Resolver: outboundtest.Names{"tickets.support.svc.cluster.local.": outboundtest.Addrs(addrs...)}}
	}
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		opts    Options
		web     web
		silence bool
		code    string
		cause   Cause
	}{
		"200":                {handler: answers(200, ticket), code: "ok"},
		"201":                {handler: answers(201, ticket), code: "ok"},
		"202":                {handler: answers(202, ticket), code: "ok"},
		"203":                {handler: answers(203, ticket), code: upstream, cause: CauseBadStatus},
		"204":                {handler: answers(204, ""), code: upstream, cause: CauseBadStatus},
		"206":                {handler: answers(206, ticket), code: upstream, cause: CauseBadStatus},
		"404":                {handler: answers(404, `secret-note`), code: notFound, cause: CauseNoRecord},
		"410":                {handler: answers(410, ticket), code: upstream, cause: CauseBadStatus},
		"401":                {handler: answers(401, ticket), code: upstream, cause: CauseBadStatus},
		"500":                {handler: answers(500, `secret-note`), code: upstream, cause: CauseBadStatus},
		"empty":              {handler: answers(200, ""), code: upstream, cause: CauseBadRecord},
		"a page":             {handler: answers(200, "<html>secret-note</html>"), code: upstream, cause: CauseBadRecord},
		"a list":             {handler: answers(200, `["secret-note"]`), code: upstream, cause: CauseBadRecord},
		"a key twice":        {handler: answers(200, `{"id":1,"x":1,"x":2}`), code: upstream, cause: CauseAmbiguous},
		"as large as may be": {handler: answers(200, ticket), web: limit(int32(len(ticket))), code: "ok"},
		"a byte too large":   {handler: answers(200, ticket), web: limit(int32(len(ticket) - 1)), code: upstream, cause: CauseTooLarge},
		"declared too large": {handler: raw("HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n" + ticket), code: upstream, cause: CauseTooLarge},
		"a stream":           {handler: endless, code: upstream, cause: CauseTooLarge},
		"shorter than it says": {handler: raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(ticket)+1, ticket)),
			code: upstream, cause: CauseNoAnswer},
		"longer than it says": {handler: raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + ticket), code: upstream, cause: CauseBadRecord},
		"two lengths": {handler: raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Length: 2\r\n\r\n%s", len(ticket), ticket)),
			code: upstream, cause: CauseNoAnswer},
		"no HTTP":           {handler: raw("secret-note\r\n\r\n"), code: upstream, cause: CauseNoAnswer},
		"nothing":           {handler: raw(""), code: upstream, cause: CauseNoAnswer},
		"large headers":     {handler: raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n"), code: upstream, cause: CauseNoAnswer},
		"a redirect":        {handler: redirect("http://169.254.169.254/latest/meta-data/"), code: upstream, cause: CauseRedirect},
		"a redirect nearby": {handler: redirect("/v1/beta/tickets/TKT-104"), code: upstream, cause: CauseRedirect},
		"silence":           {handler: silent, code: late, cause: CauseTimeout},
		"a drip":            {handler: drip, code: late, cause: CauseTimeout},
		"a black hole":      {handler: silent, silence: true, code: late, cause: CauseTimeout},
		"no such name":      {opts: Options{Resolver: outboundtest.Names{}}, code: upstream, cause: CauseResolve},
		"nobody there":      {opts: resolves("192.0.2.9"), code: upstream, cause: CauseConnect},
		"metadata":          {opts: resolves("169.254.169.254"), code: upstream, cause: CauseNotAllowed},
		"loopback":          {opts: resolves("127.0.0.1"), code: upstream, cause: CauseNotAllowed},
		"loopback, mapped":  {opts: resolves("::ffff:127.0.0.1"), code: upstream, cause: CauseNotAllowed},
		"one of two":        {handler: answers(200, ticket), opts: resolves("127.0.0.1", "192.0.2.1"), code: "ok"},
		"another authority": {web: func(h *callgatev1alpha1.AdapterHTTP) { h.CABundle = nil }, code: upstream, cause: CauseTLS},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tc.handler == nil {
					tc.handler = answers(200, ticket)
				}
				if tc.web == nil {
					tc.web = func(*callgatev1alpha1.AdapterHTTP) {}
				}
				s := newStub(t, tc.handler)
				if tc.silence {
					s.network.Silence(address)
				}
				e := executor(t)
				began := time.Now()
				got := e.Execute(t.Context(), call(t, s.adapterWith(t, tc.opts, tc.web)))
				if string(got.Code) != tc.code || got.Cause != tc.cause || got.OK() != (tc.code == "ok") || (got.Result != nil) != got.OK() {
					t.Errorf("got %+v, want %s %q", got, tc.code, tc.cause)
				}
				if told := fmt.Sprintf("%+v", got); strings.Contains(told, "secret") || strings.Contains(told, "/v1/") || strings.Contains(got.Detail, "TKT") {
					t.Errorf("the outcome tells too much: %s", told)
				}
				if took := time.Since(began); took > defaultTimeout {
					t.Errorf("took %s", took)
				}
				if n := len(s.asked()); n > 1 {
					t.Errorf("asked %d times", n)
				}
				synctest.Wait()
				if n := s.network.Open(); n != 0 {
					t.Errorf("%d connections outlive their execution", n)
				}
				if e.lanes.places != 0 || e.lanes.held != 0 || len(e.lanes.namespaces) != 0 {
					t.Errorf("the lanes hold %+v", e.lanes)
				}
			})
		})
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

func TestTokens(t *testing.T) {
	for name, source := range map[string]Tokens{
		"none": nil, "an error": &tokens{err: errStub}, "empty": &tokens{}, "a line in it": &tokens{token: "a\r\nX: b"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStub(t, answers(200, ticket))
			e := executor(t, func(o *Settings) { o.Tokens = source })
			got := e.Execute(t.Context(), call(t, s.adapter(t, audience("callgate.dev/support"))))
			if got.Cause != CauseNoToken || got.Code != "upstream_error" || strings.Contains(fmt.Sprint(got), "secret") {
				t.Errorf("%s: got %+v", name, got)
			}
			if len(s.asked()) != 0 {
				t.Errorf("%s: the backend was asked without a token", name)
			}
		})
	}
}

// An answer that is larger than any may be costs no more memory than one that may.
func TestMemoryIsFlat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, endless)
		e := executor(t)
		a := s.adapter(t)
		allocated := func() uint64 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.TotalAlloc
		}
		before := allocated()
		if got := e.Execute(t.Context(), call(t, a)); got.Cause != CauseTooLarge {
			t.Fatalf("got %+v", got)
		}
		// 1 MiB, read by doubling, and what the stub and the pipes copy meanwhile.
		if got := allocated() - before; got > 32<<20 {
			t.Errorf("%d MiB for an endless answer", got>>20)
		}
	})
}

func TestAnswersShareTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, answers(200, `{"id":"`+strings.Repeat("x", 100<<10)+`"}`))
		e := executor(t, func(o *Settings) { o.MaxPendingBytesPerNamespace = 50 << 10 })
		if got := e.Execute(t.Context(), call(t, s.adapter(t))); got.Cause != CauseBusy || got.Code != "upstream_error" {
			t.Errorf("got %+v", got)
		}
		if e.lanes.held != 0 {
			t.Errorf("%d bytes are held", e.lanes.held)
		}
	})
}
