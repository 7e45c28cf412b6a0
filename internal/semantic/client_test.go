package semantic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/outbound/outboundtest"
)

func TestTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, says(`{"valid":true}`))
		q := v.question(func(q *Question) {
			q.Schemas = []byte(`{"web_search":{"pattern":"^\"\\d+$","maximum":1e400}}`)
		})
		if got := v.client(t).Validate(t.Context(), q); got != (Answer{Valid: true}) {
			t.Fatalf("got %+v", got)
		}
		sent := v.requests[0]
		if sent.path != "/v1/chat/completions" || sent.header.Get("Content-Type") != "application/json" ||
			sent.header.Get("Authorization") != "Bearer "+secret || sent.header.Get("User-Agent") != "callgate" {
			t.Errorf("sent to %s with %v", sent.path, sent.header)
		}
		var body struct {
			Model    string
			Messages []struct{ Role, Content string }
			Format   any `json:"response_format"`
		}
		decoder := json.NewDecoder(strings.NewReader(sent.body))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&body); err != nil {
			t.Fatal(err)
		}
		if body.Model != "judge" || len(body.Messages) != 1 || body.Messages[0].Role != "user" {
			t.Errorf("sent %s", sent.body)
		}
		want := `{"declared_tools":` + string(q.DeclaredTools) + `,"schemas":` + string(q.Schemas) + `,"request_tools":` + string(q.RequestTools) + `}`
		if got := body.Messages[0].Content; got != want {
			t.Errorf("the message is\n%s, want\n%s", got, want)
		}
		var format any
		_ = json.Unmarshal([]byte(`{"type":"json_schema","json_schema":{"name":"tool_validation","strict":true,"schema":{"type":"object",
			"properties":{"valid":{"type":"boolean"},"reason":{"type":"string"}},"required":["valid","reason"],"additionalProperties":false}}}`), &format)
		if !reflect.DeepEqual(body.Format, format) {
			t.Errorf("the format is %v", body.Format)
		}
	})
}

func TestWithoutASecretNoTokenIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newValidator(t, says(`{"valid":true}`))
		v.client(t).Validate(t.Context(), v.question(func(q *Question) { q.Token = Token{} }))
		if _, ok := v.requests[0].header["Authorization"]; ok {
			t.Error("an Authorization header was sent")
		}
	})
}

func TestEveryFailureBlocksWithItsCause(t *testing.T) {
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		change  func(*validator)
		options func(*Options)
		ask     func(*Question)
		want    Cause
	}{
		"true":                {handler: says(`{"valid":true}`), want: ""},
		"true in the message": {handler: says(completion(`{"valid":true}`)), want: ""},
		"201":                 {handler: status(http.StatusCreated), want: ""},
		"no valid":            {handler: says(`{}`), want: CauseNoValid},
		"no JSON":             {handler: says(`valid`), want: CauseBadJSON},
		"said twice":          {handler: says(`{"valid":true,"valid":true}`), want: CauseAmbiguous},
		"500":                 {handler: status(http.StatusInternalServerError), want: CauseBadStatus},
		"401":                 {handler: status(http.StatusUnauthorized), want: CauseBadStatus},
		"404":                 {handler: status(http.StatusNotFound), want: CauseBadStatus},
		"redirect":            {handler: redirect, want: CauseRedirect},
		"timeout":             {handler: silent, want: CauseTimeout},
		"slow drip":           {handler: drip, want: CauseTimeout},
		"100 MB":              {handler: endless, want: CauseTooLarge},
		"cut":                 {handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, want: CauseNoAnswer},
		"black hole":          {handler: silent, change: func(v *validator) { v.network.Silence(address) }, want: CauseTimeout},
		"refused": {options: func(o *Options) {
			o.Resolver = outboundtest.Names{"judge.example.org.": outboundtest.Addrs("192.0.2.9")}
		}, want: CauseConnect},
		"no such name": {options: func(o *Options) { o.Resolver = outboundtest.Names{} }, want: CauseResolve},
		"rebound to loopback": {options: func(o *Options) {
			o.Resolver = outboundtest.Names{"judge.example.org.": outboundtest.Addrs("127.0.0.1")}
		}, want: CauseNotAllowed},
		"nothing allowed":       {options: func(o *Options) { o.Upstreams = outbound.Policy{} }, want: CauseNotAllowed},
		"another host":          {ask: func(q *Question) { q.Endpoint = "https://other.example.org/" }, want: CauseNotAllowed},
		"an address":            {ask: func(q *Question) { q.Endpoint = "https://192.0.2.1/" }, want: CauseNotAllowed},
		"http":                  {ask: func(q *Question) { q.Endpoint = "http://judge.example.org/" }, want: CauseNotAllowed},
		"no endpoint":           {ask: func(q *Question) { q.Endpoint = "" }, want: CauseNotAllowed},
		"an endpoint as no URL": {ask: func(q *Question) { q.Endpoint = "https://judge.example.org/%zz" }, want: CauseBadQuestion},
		"another authority":     {ask: func(q *Question) { q.CABundle = nil }, want: CauseTLS},
		"no bundle":             {ask: func(q *Question) { q.CABundle = []byte("x") }, want: CauseBadQuestion},
		"an empty token":        {ask: func(q *Question) { q.Token = NewToken("", "7") }, want: CauseBadQuestion},
		"a token with a line":   {ask: func(q *Question) { q.Token = NewToken(secret+"\n", "7") }, want: CauseBadQuestion},
		"a negative timeout":    {ask: func(q *Question) { q.Timeout = -1 }, want: CauseBadQuestion},
		"no declared tools":     {ask: func(q *Question) { q.DeclaredTools = nil }, want: CauseBadQuestion},
		"schemas as a list":     {ask: func(q *Question) { q.Schemas = []byte(`[]`) }, want: CauseBadQuestion},
		"tools that break out":  {ask: func(q *Question) { q.RequestTools = []byte(`[]},"x":[`) }, want: CauseBadQuestion},
		"tools too large":       {ask: func(q *Question) { q.RequestTools = []byte(`["` + strings.Repeat("x", 2<<20) + `"]`) }, want: CauseBadQuestion},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler := tc.handler
				if handler == nil {
					handler = says(`{"valid":true}`)
				}
				v := newValidator(t, handler)
				if tc.change != nil {
					tc.change(v)
				}
				c := v.client(t, func(o *Options) {
					if tc.options != nil {
						tc.options(o)
					}
				})
				began := time.Now()
				q := v.question(func(q *Question) {
					q.Endpoint = "https://judge.example.org/secret-path"
					if tc.ask != nil {
						tc.ask(q)
					}
				})
				for range 2 {
					got := c.Validate(t.Context(), q)
					if got.Cause != tc.want || got.Valid != (tc.want == "") {
						t.Errorf("got %+v, want cause %q", got, tc.want)
					}
					if strings.Contains(fmt.Sprintf("%+v", got), secret) || strings.Contains(got.Detail, "secret-path") {
						t.Errorf("the answer tells too much: %+v", got)
					}
				}
				if took := time.Since(began); took > 2*DefaultTimeout {
					t.Errorf("took %s", took)
				}
				synctest.Wait()
				if n := v.network.Open(); n != 0 {
					t.Errorf("%d connections outlive their question", n)
				}
				if c.answers.order.Len() != 0 != (tc.want == "") {
					t.Errorf("%d answers kept", c.answers.order.Len())
				}
			})
		})
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"valid":true}`)
	}
}

func redirect(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Location", endpoint)
	w.WriteHeader(http.StatusTemporaryRedirect)
	_, _ = io.WriteString(w, `{"valid":true}`)
}

func TestTokensPrintAsNothing(t *testing.T) {
	q := Question{Token: NewToken(secret, "7")}
	type holder struct{ inner Question }
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{
		fmt.Sprint(q), fmt.Sprintf("%v %+v %#v %s %q %x", q, q, q, q.Token, q.Token, q.Token),
		fmt.Sprintf("%v %+v %#v", holder{q}, &holder{q}, holder{q}), string(text),
	} {
		if strings.Contains(shown, secret) || strings.Contains(shown, fmt.Sprintf("%x", secret)) {
			t.Errorf("shown: %s", shown)
		}
	}
}

func TestOptions(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
	if _, err := New(Options{}); err == nil {
		t.Error("a client without limits was made")
	}
	opts := DefaultOptions()
	opts.MaxRequestBytes = opts.MaxPendingBytes + 1
	if _, err := New(opts); err == nil {
		t.Error("a request that never fits was allowed")
	}
}
