package adapter

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
)

// after answers when d has passed.
func after(d time.Duration, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			h(w, r)
		case <-r.Context().Done():
		}
	}
}

func TestEqualExecutionsRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, after(time.Second, answers(200, ticket)))
		w := &watcher{}
		e := executor(t, func(o *Settings) { o.Observer = w })
		a := s.adapter(t, method("POST"))
		var waiting sync.WaitGroup
		for range 20 {
			waiting.Go(func() {
				if got := e.Execute(t.Context(), call(t, a)); string(got.Result) != shownAs {
					t.Errorf("got %+v", got)
				}
			})
		}
		waiting.Wait()
		if got := e.Execute(t.Context(), call(t, a)); string(got.Result) != shownAs {
			t.Errorf("again: got %+v", got)
		}
		if n := len(s.asked()); n != 1 {
			t.Errorf("asked %d times", n)
		}
		if w.shares[ShareOwn] != 1 || w.shares[ShareJoined] != 19 || w.shares[ShareRepeated] != 1 || w.executed != 1 || w.running != 0 {
			t.Errorf("observed %+v", w)
		}
		time.Sleep(time.Minute)
		if e.Execute(t.Context(), call(t, a)); len(s.asked()) != 2 {
			t.Error("the uid was answered from memory beyond its time")
		}
	})
}

func TestAUIDStandsForOneCall(t *testing.T) {
	other := func(c *Call) { c.Caller.Username = "system:serviceaccount:support:other" }
	for name, tc := range map[string]struct {
		change func(*Call)
		cause  Cause
		asked  int
	}{
		"the same":               {func(*Call) {}, "", 1},
		"another uid":            {uid("uid-2"), "", 2},
		"another caller":         {other, "", 2},
		"a caller elsewhere":     {func(c *Call) { c.Caller.Namespace = "other" }, "", 2},
		"other arguments":        {arguments(`{"ticket_id":"TKT-105"}`), CauseReusedUID, 1},
		"other spare arguments":  {arguments(`{"ticket_id":"TKT-104","x":1}`), CauseReusedUID, 1},
		"another tenant":         {tenant("beta"), CauseReusedUID, 1},
		"on behalf of another":   {func(c *Call) { c.Activation.Caller.Username = "system:serviceaccount:support:x" }, CauseReusedUID, 1},
		"other fields":           {func(c *Call) { c.Projection = mustProject(t, "/id") }, CauseReusedUID, 1},
		"no fields":              {func(c *Call) { c.Projection = nil }, CauseReusedUID, 1},
		"another generation":     {func(c *Call) { a := *c.Adapter; a.generation++; c.Adapter = &a }, CauseReusedUID, 1},
		"another adapter object": {func(c *Call) { a := *c.Adapter; a.uid = "u-2"; c.Adapter = &a }, CauseReusedUID, 1},
	} {
		for _, m := range []callgatev1alpha1.HTTPMethod{"POST", "GET"} {
			t.Run(name+" with "+string(m), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newStub(t, after(time.Second, answers(200, ticket)))
					e := executor(t)
					a := s.adapter(t, method(m))
					done := make(chan struct{})
					go func() {
						defer close(done)
						e.Execute(t.Context(), call(t, a))
					}()
					synctest.Wait()
					for _, when := range []string{"while it runs", "when it has run"} {
						got := e.Execute(t.Context(), call(t, a, tc.change))
						if got.Cause != tc.cause || got.OK() != (tc.cause == "") {
							t.Errorf("%s: got %+v", when, got)
						}
						<-done
					}
					if n := len(s.asked()); n != tc.asked {
						t.Errorf("asked %d times", n)
					}
				})
			})
		}
	}
}

// What is not kept may be run again by the same uid; what may have been done may not.
func TestFailuresThatAreKept(t *testing.T) {
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		method  callgatev1alpha1.HTTPMethod
		nobody  bool
		asked   int
	}{
		"GET, 500":             {answers(500, ""), "GET", false, 2},
		"DELETE, silence":      {silent, "DELETE", false, 2},
		"PUT, 500":             {answers(500, ""), "PUT", false, 2},
		"POST, 500":            {answers(500, ""), "POST", false, 1},
		"POST, silence":        {silent, "POST", false, 1},
		"POST, cut":            {raw(""), "POST", false, 1},
		"POST, no JSON":        {answers(200, "x"), "POST", false, 1},
		"GET, 404":             {answers(404, ""), "GET", false, 1},
		"POST, no connection":  {answers(200, ticket), "POST", true, 2},
		"GET, no such records": {answers(200, `{}`), "GET", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStub(t, tc.handler)
				e := executor(t)
				web := []func(*callgatev1alpha1.AdapterHTTP){method(tc.method)}
				if tc.nobody {
					web = append(web, func(h *callgatev1alpha1.AdapterHTTP) { h.CABundle = nil })
				}
				a := s.adapter(t, web...)
				first := e.Execute(t.Context(), call(t, a))
				second := e.Execute(t.Context(), call(t, a))
				if first.Code != second.Code || first.Cause != second.Cause {
					t.Errorf("first %+v, then %+v", first, second)
				}
				asked := len(s.asked())
				if tc.nobody {
					asked = len(s.network.Dialled())
				}
				if asked != tc.asked {
					t.Errorf("asked %d times", asked)
				}
			})
		})
	}
}

func TestACallerThatLeavesEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, after(time.Second, answers(200, ticket)))
		e := executor(t)
		a := s.adapter(t, method("POST"))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		c := call(t, a)
		if got := e.Execute(ctx, c); got.Cause != CauseCanceled || got.Code != "upstream_timeout" {
			t.Errorf("got %+v", got)
		}
		// The caller's memory is its own again.
		clear(c.Arguments)
		time.Sleep(time.Second)
		if got := e.Execute(t.Context(), call(t, a)); string(got.Result) != shownAs {
			t.Errorf("then: got %+v", got)
		}
		if got := s.asked(); len(got) != 1 || got[0].body != `{"ticket_id":"TKT-104"}` {
			t.Errorf("asked %+v", got)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if got := e.Execute(gone, call(t, a, uid("uid-2"))); got.Cause != CauseCanceled || len(s.asked()) != 1 {
			t.Errorf("gone before: got %+v", got)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, silent)
		e := executor(t)
		a := s.adapter(t, timeout(30000))
		done := make(chan Outcome)
		go func() { done <- e.Execute(t.Context(), call(t, a)) }()
		synctest.Wait()
		began := time.Now()
		e.Close()
		if got := <-done; got.Cause != CauseClosed || time.Since(began) > 0 {
			t.Errorf("got %+v after %s", got, time.Since(began))
		}
		if got := e.Execute(t.Context(), call(t, a, uid("uid-2"))); got.Cause != CauseClosed || got.Code != "upstream_error" {
			t.Errorf("afterwards: got %+v", got)
		}
		synctest.Wait()
		if s.network.Open() != 0 || len(e.flights) != 0 {
			t.Error("something is left")
		}
	})
}

func TestTheTimeoutIsTheAdapters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, silent)
		e := executor(t)
		began := time.Now()
		if got := e.Execute(t.Context(), call(t, s.adapter(t, timeout(100)))); got.Cause != CauseTimeout {
			t.Errorf("got %+v", got)
		}
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("took %s", took)
		}
	})
}

func TestANamespaceThatHangsLeavesOthersTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, silent)
		e := executor(t, func(o *Settings) { o.MaxRunningPerNamespace, o.ConfigMaps = 2, ticketMap(store) })
		a := s.adapter(t)
		for i := range 2 {
			go e.Execute(t.Context(), call(t, a, uid(fmt.Sprint(i))))
		}
		synctest.Wait()
		if got := e.Execute(t.Context(), call(t, a, uid("more"))); got.Cause != CauseBusy || got.Code != "upstream_error" {
			t.Errorf("got %+v", got)
		}
		other := *compiled(t, Options{}, records(ticketKey))
		other.namespace = "other"
		if got := e.Execute(t.Context(), call(t, &other, uid("other"))); got.Cause != CauseNoConfigMap {
			t.Errorf("another namespace: got %+v", got)
		}
	})
}

func TestCallsThatCannotBe(t *testing.T) {
	a := compiled(t, Options{}, records(ticketKey))
	shared := compiled(t, Options{}, records("args.ticket_id"), noTenancy)
	e := executor(t, func(o *Settings) { o.ConfigMaps = ticketMap(`{"TKT-104":{"id":1},":TKT-104":{"id":"secret"}}`) })
	for name, change := range map[string]func(*Call){
		"no adapter":       func(c *Call) { c.Adapter = nil },
		"nothing":          func(c *Call) { *c = Call{} },
		"no variables":     func(c *Call) { c.Activation = nil },
		"no uid":           uid(""),
		"a long uid":       uid(strings.Repeat("x", 129)),
		"a uid with lines": uid("a\r\nX: y"),
		"no asker":         func(c *Call) { c.Caller = Caller{} },
		"no caller":        func(c *Call) { c.Activation.Caller = expr.Caller{} },
		"a caller's lines": func(c *Call) { c.Activation.Caller.Username = "a\r\nX: y" },
		"no tenant":        tenant(""),
		"a tenant's lines": tenant("a\r\nX: y"),
	} {
		if got := e.Execute(t.Context(), call(t, a, change)); got.Cause != CauseBadCall || got.Code != "upstream_error" || got.OK() {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	if got := e.Execute(t.Context(), call(t, shared, tenant(""))); !got.OK() {
		t.Errorf("no tenant where none is needed: got %+v", got)
	}
	if (Outcome{}).OK() {
		t.Error("the zero outcome is a success")
	}
}

func TestRecentOutcomesAreBounded(t *testing.T) {
	opts := DefaultSettings()
	opts.MaxRecent, opts.MaxRecentBytes = 8, 8<<10
	r := newRecent(opts)
	now := time.Unix(0, 0)
	put := func(namespace, uid string, size int) {
		r.put(identity{namespace, "caller", uid}, fingerprint{}, Outcome{Result: make([]byte, size)}, now.Add(time.Minute))
	}
	has := func(namespace, uid string) bool {
		_, ok := r.get(identity{namespace, "caller", uid}, now)
		return ok
	}
	put("quiet", "1", 10)
	for i := range 100 {
		put("loud", fmt.Sprint(i), 10)
	}
	if !has("quiet", "1") || !has("loud", "99") || !has("loud", "98") || has("loud", "97") {
		t.Error("one namespace has pushed out another's outcomes, or its own newest")
	}
	put("quiet", "2", 9<<10)
	if has("quiet", "2") {
		t.Error("an outcome beyond the bound is kept")
	}
	for i := range 100 {
		put(fmt.Sprint("ns-", i), "1", 10)
	}
	if r.all.Len() > 8 || r.held.bytes > 8<<10 || len(r.items) != r.all.Len() || len(r.namespaces) != r.all.Len() {
		t.Errorf("%d outcomes of %d bytes, %d items, %d namespaces", r.all.Len(), r.held.bytes, len(r.items), len(r.namespaces))
	}
	now = now.Add(time.Minute)
	if has("ns-99", "1") || r.held != (share{}) || len(r.namespaces) != 0 {
		t.Errorf("outcomes outlive their time: %+v", r.held)
	}
}

func TestSettings(t *testing.T) {
	if err := DefaultSettings().Validate(); err != nil {
		t.Error(err)
	}
	if _, err := NewExecutor(Settings{}); err == nil {
		t.Error("an executor without limits was made")
	}
}

// Many callers at once, for the race detector.
func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub(t, after(10*time.Millisecond, answers(200, ticket)))
		w := &watcher{}
		e := executor(t, func(o *Settings) { o.ConfigMaps, o.Observer = ticketMap(store), w })
		adapters := []*Adapter{s.adapter(t), compiled(t, Options{}, records(ticketKey)), s.adapter(t, method("POST"))}
		var waiting sync.WaitGroup
		for i := range 16 {
			waiting.Go(func() {
				for n := range 30 {
					a := n % len(adapters)
					got := e.Execute(t.Context(), call(t, adapters[a], uid(fmt.Sprintf("%d-%d", a, (n+i)%20))))
					if string(got.Result) != shownAs {
						t.Errorf("got %+v", got)
					}
				}
			})
		}
		waiting.Wait()
		if n := len(s.asked()); n > 40 || w.running != 0 {
			t.Errorf("asked %d times, %d running", n, w.running)
		}
	})
}

// panicking is a cache with a fault.
type panicking struct{}

func (panicking) ConfigMap(context.Context, string, string) (ConfigMap, bool, error) {
	panic("a fault")
}

func TestAPanicIsAFailureOfOneExecution(t *testing.T) {
	w := &watcher{}
	e := executor(t, func(o *Settings) { o.ConfigMaps, o.Observer = panicking{}, w })
	a := compiled(t, Options{}, records(ticketKey))
	for i := range 2 {
		if got := e.Execute(t.Context(), call(t, a, uid(fmt.Sprint(i)))); got.Cause != CausePanicked || got.Code != "upstream_error" || got.Result != nil {
			t.Errorf("got %+v", got)
		}
	}
	if w.executed != 2 || w.running != 0 {
		t.Errorf("observed %+v", w)
	}
}
