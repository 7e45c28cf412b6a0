package identity

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/callgate/callgate/internal/review"
)

func TestCallerAndQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &apiServer{}
		got, err := newTest(t, s).Identify(t.Context(), tokenFor(1, time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if got.Kind != review.ServiceAccount || got.Username() != "system:serviceaccount:support:assistant" ||
			got.Via != "https" || !slices.Contains(got.Groups, "system:serviceaccounts") {
			t.Errorf("caller is %+v", got)
		}
		spec := s.lastAccess.Load()
		res := spec.ResourceAttributes
		if res.Verb != "create" || res.Group != "review.callgate.dev" || res.Version != "v1alpha1" ||
			res.Resource != "toolcallreviews" || res.Namespace != "support" {
			t.Errorf("asked for %+v", res)
		}
		if spec.UID != "u-1" || len(spec.Groups) != 2 || len(spec.Extra) != 1 {
			t.Errorf("asked without the groups, uid or extra: %+v", spec)
		}
	})
}

func TestRefusals(t *testing.T) {
	foreign := known("system:serviceaccount:support:assistant")
	foreign.Audiences = []string{"https://kubernetes.default.svc"}
	none := known("system:serviceaccount:support:assistant")
	none.Audiences = nil
	cases := map[string]struct {
		status authenticationv1.TokenReviewStatus
		denied bool
		want   error
	}{
		"refused with a reason":      {status: refused(""), want: ErrUnauthenticated},
		"refused without":            {want: ErrUnauthenticated},
		"another audience confirmed": {status: foreign, want: ErrUnauthenticated},
		"no audience confirmed":      {status: none, want: ErrUnauthenticated},
		"a person":                   {status: known("jane"), want: ErrForbidden},
		"a node":                     {status: known("system:node:n1"), want: ErrForbidden},
		"no name":                    {status: known("system:serviceaccount:support:"), want: ErrForbidden},
		"five parts":                 {status: known("system:serviceaccount:a:b:c"), want: ErrForbidden},
		"no right to review":         {status: known("system:serviceaccount:a:b"), denied: true, want: ErrForbidden},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &apiServer{denied: tc.denied, status: func(string) authenticationv1.TokenReviewStatus { return tc.status }}
				a, tok := newTest(t, s), tokenFor(1, time.Hour)
				for range 3 {
					if _, err := a.Identify(t.Context(), tok); !errors.Is(err, tc.want) {
						t.Fatalf("got %v, want %v", err, tc.want)
					}
				}
				if s.tokens.Load() != 1 {
					t.Errorf("asked %d times within the life of a no", s.tokens.Load())
				}
				time.Sleep(5*time.Second + time.Millisecond)
				_, _ = a.Identify(t.Context(), tok)
				if s.tokens.Load() != 2 {
					t.Errorf("asked %d times after the life of a no, want 2", s.tokens.Load())
				}
			})
		})
	}
}

func TestErrorsHoldNoToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tok := tokenFor(1, time.Hour)
		s := &apiServer{err: errors.New("cannot decode " + tok)}
		var lines logLines
		a := newTest(t, s, func(o *Options) { o.Log = lines.logger() })
		_, err := a.Identify(t.Context(), tok)
		if !errors.Is(err, ErrUnavailable) || strings.Contains(err.Error(), tok) {
			t.Errorf("error is %v", err)
		}
		if all := lines.String(); all == "" || strings.Contains(all, tok) {
			t.Errorf("log is %q", all)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"audience": func(o *Options) { o.Audience = "" },
		"soft":     func(o *Options) { o.SoftTTL = 0 },
		"hard":     func(o *Options) { o.HardTTL = time.Second },
		"refusal":  func(o *Options) { o.RefusalTTL = -1 },
		"callers":  func(o *Options) { o.MaxCallers = 0 },
		"refusals": func(o *Options) { o.MaxRefusals = 0 },
		"deadline": func(o *Options) { o.Deadline = 0 },
		"held":     func(o *Options) { o.MaxHeld = 0 },
		"grace":    func(o *Options) { o.BusyGrace = -1 },
		"memory":   func(o *Options) { o.OutageMemory = 0 },
		"probe":    func(o *Options) { o.ProbeInterval = 0 },
		"lane":     func(o *Options) { o.Strangers.Running = 0 },
		"rate":     func(o *Options) { o.Callers.PerSecond = 0 },
	} {
		opts := DefaultOptions()
		change(&opts)
		if _, err := NewFromReviewers(opts, nil, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
