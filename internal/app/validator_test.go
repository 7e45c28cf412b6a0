package app

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/bearer"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/semantic"
)

// vault gives one answer, and remembers of which Secret.
type vault struct {
	err   error
	asked []string
}

func (v *vault) Read(_ context.Context, namespace, name, key string) (bearer.Token, error) {
	v.asked = append(v.asked, namespace+"/"+name+"/"+key)
	return bearer.Token{Value: "t0ken", Version: "7"}, v.err
}

func TestValidatorAsksWithThePolicysOwnToken(t *testing.T) {
	var log bytes.Buffer
	logger := funcr.New(func(prefix, args string) { log.WriteString(prefix + args + "\n") }, funcr.Options{})
	for _, test := range []struct {
		about    string
		semantic compile.Semantic
		err      error
		answer   semantic.Answer
		want     review.Answer
		asked    bool
		read     string
	}{
		{"a token", compile.Semantic{Endpoint: "https://j", SecretName: "s", SecretKey: "k"}, nil, semantic.Answer{Valid: true, Reason: "fits"},
			review.Answer{Valid: true, Reason: "fits"}, true, "team/s/k"},
		{"no token wanted", compile.Semantic{Endpoint: "https://j"}, nil, semantic.Answer{Reason: "odd"}, review.Answer{Reason: "odd"}, true, ""},
		{"a token that cannot be had", compile.Semantic{Endpoint: "https://j", SecretName: "s", SecretKey: "k"},
			&bearer.Error{Kind: bearer.ErrNotFound, Message: "there is no Secret s"}, semantic.Answer{Valid: true},
			review.Answer{Cause: causeSecret, Detail: "there is no Secret s"}, false, "team/s/k"},
		{"half a reference is one", compile.Semantic{Endpoint: "https://j", SecretName: "s"}, &bearer.Error{Kind: bearer.ErrNotFound, Message: "no key"},
			semantic.Answer{Valid: true}, review.Answer{Cause: causeSecret, Detail: "no key"}, false, "team/s/"},
		{"no answer", compile.Semantic{Endpoint: "https://j"}, nil, semantic.Answer{Cause: semantic.CauseTimeout, Detail: "late"},
			review.Answer{Cause: "timeout", Detail: "late"}, true, ""},
	} {
		t.Run(test.about, func(t *testing.T) {
			secrets := &vault{err: test.err}
			asked := false
			v := &validator{tokens: secrets, log: logger, ask: func(_ context.Context, q semantic.Question) semantic.Answer {
				asked = true
				if q.Policy != (semantic.Policy{Namespace: "team", Name: "p", UID: "u", Generation: 3}) || q.Endpoint != "https://j" {
					t.Errorf("asked %+v", q.Policy)
				}
				return test.answer
			}}
			got := v.Validate(t.Context(), review.Question{Namespace: "team", Policy: "p", UID: "u", Generation: 3, Semantic: &test.semantic})
			if got != test.want || asked != test.asked || strings.Join(secrets.asked, " ") != test.read {
				t.Errorf("got %+v, asked %v, read %v; want %+v, %v, %q", got, asked, secrets.asked, test.want, test.asked, test.read)
			}
		})
	}
	if strings.Contains(log.String(), "t0ken") || !strings.Contains(log.String(), "late") {
		t.Errorf("the log is %s", &log)
	}
	if (&validator{log: logr.Discard(), tokens: &vault{}, ask: func(context.Context, semantic.Question) semantic.Answer { return semantic.Answer{} }}).
		Validate(t.Context(), review.Question{Semantic: &compile.Semantic{}}).Valid {
		t.Error("no answer was taken for a yes")
	}
}

func TestReferencesOfAPolicy(t *testing.T) {
	upstreams, err := outbound.ParsePolicy([]string{"judge.example.org"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		about string
		spec  callgatev1alpha1.SemanticValidation
		err   error
		want  string
	}{
		{"none", callgatev1alpha1.SemanticValidation{}, nil, ""},
		{"an endpoint that is allowed", callgatev1alpha1.SemanticValidation{Endpoint: "https://judge.example.org/v1"}, nil, ""},
		{"one that is not", callgatev1alpha1.SemanticValidation{Endpoint: "https://elsewhere.example.org/v1"}, nil, "EndpointNotAllowed"},
		{"no URL", callgatev1alpha1.SemanticValidation{Endpoint: "https://%zz"}, nil, "EndpointNotAllowed"},
		{"a bundle that is none", callgatev1alpha1.SemanticValidation{Endpoint: "https://judge.example.org/v1", CABundle: []byte("x")}, nil, "InvalidRef"},
		{"a Secret", withSecret, nil, ""},
		{"no Secret", withSecret, &bearer.Error{Kind: bearer.ErrNotFound}, "RefNotFound"},
		{"the wrong type", withSecret, &bearer.Error{Kind: bearer.ErrNotPermitted}, "RefNotPermitted"},
		{"no token", withSecret, &bearer.Error{Kind: bearer.ErrInvalid}, "InvalidRef"},
		{"nobody can tell", withSecret, &bearer.Error{Kind: bearer.ErrUnavailable}, "error"},
	} {
		p := &callgatev1alpha1.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "team"}}
		p.Spec.SemanticValidation = test.spec
		reason, message, err := (&references{upstreams: upstreams, tokens: &vault{err: test.err}}).Check(t.Context(), p)
		if err != nil {
			reason = "error"
		}
		if reason != test.want || (test.want != "" && test.want != "error") != (message != "") {
			t.Errorf("%s: %q, %q, %v; want %q", test.about, reason, message, err, test.want)
		}
	}
}

var withSecret = callgatev1alpha1.SemanticValidation{
	Endpoint: "https://judge.example.org/v1", SecretKeyRef: callgatev1alpha1.SecretKeyRef{Name: "s", Key: "k"},
}
