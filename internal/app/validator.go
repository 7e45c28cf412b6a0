package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/controllers"
	"github.com/callgate/callgate/internal/bearer"
	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/semantic"
)

// causeSecret is what callers are told where the validator's token cannot be had.
const causeSecret = "secret_unusable"

// tokens is what reads bearer tokens.
type tokens interface {
	Read(ctx context.Context, namespace, name, key string) (bearer.Token, error)
}

// validator asks the validator that a policy names, with the token that it names.
type validator struct {
	ask    func(context.Context, semantic.Question) semantic.Answer
	tokens tokens
	log    logr.Logger
}

var _ review.Validator = &validator{}

// Validate implements review.Validator.
func (v *validator) Validate(ctx context.Context, q review.Question) review.Answer {
	answer := v.validate(ctx, q)
	if answer.Cause != "" {
		v.log.Info("A validator gave no answer", "policy", q.Namespace+"/"+q.Policy, "cause", answer.Cause, "detail", answer.Detail)
	}
	return answer
}

func (v *validator) validate(ctx context.Context, q review.Question) review.Answer {
	s := q.Semantic
	question := semantic.Question{
		Policy:   semantic.Policy{Namespace: q.Namespace, Name: q.Policy, UID: q.UID, Generation: q.Generation},
		Endpoint: s.Endpoint, Model: s.Model, CABundle: s.CABundle,
		Timeout:       time.Duration(s.TimeoutMilliseconds) * time.Millisecond,
		DeclaredTools: q.DeclaredTools, Schemas: q.Schemas, RequestTools: q.RequestTools,
	}
	if s.SecretName != "" || s.SecretKey != "" {
		token, err := v.tokens.Read(ctx, q.Namespace, s.SecretName, s.SecretKey)
		if err != nil {
			return review.Answer{Cause: causeSecret, Detail: err.Error()}
		}
		question.Token = semantic.NewToken(token.Value, token.Version)
	}
	a := v.ask(ctx, question)
	return review.Answer{Valid: a.Valid, Reason: a.Reason, Cause: string(a.Cause), Detail: a.Detail}
}

// references tells whether what a policy names exists and may be used.
type references struct {
	upstreams outbound.Policy
	tokens    tokens
}

var _ controllers.References = &references{}

// Check implements controllers.References.
func (r *references) Check(ctx context.Context, p *callgatev1alpha1.ToolPolicy) (reason, message string, err error) {
	s := &p.Spec.SemanticValidation
	if s.Endpoint == "" {
		return "", "", nil
	}
	endpoint, err := url.Parse(s.Endpoint)
	if err != nil {
		return callgatev1alpha1.ReasonEndpointNotAllowed, "spec.semanticValidation.endpoint is no URL", nil //nolint:nilerr // the fault is the answer
	}
	if err := r.upstreams.CheckURL(endpoint); err != nil {
		return callgatev1alpha1.ReasonEndpointNotAllowed, "spec.semanticValidation.endpoint: " + detailOf(err), nil
	}
	if len(s.CABundle) > 0 {
		if _, err := outbound.ParseCABundle(s.CABundle); err != nil {
			return callgatev1alpha1.ReasonInvalidRef, "spec.semanticValidation.caBundle: " + err.Error(), nil //nolint:nilerr // the fault is the answer
		}
	}
	ref := s.SecretKeyRef
	if ref == (callgatev1alpha1.SecretKeyRef{}) {
		return "", "", nil
	}
	_, err = r.tokens.Read(ctx, p.Namespace, ref.Name, ref.Key)
	message = "spec.semanticValidation.secretKeyRef: "
	switch {
	case err == nil:
		return "", "", nil
	case errors.Is(err, bearer.ErrNotFound):
		return callgatev1alpha1.ReasonRefNotFound, message + err.Error(), nil
	case errors.Is(err, bearer.ErrNotPermitted):
		return callgatev1alpha1.ReasonRefNotPermitted, message + err.Error(), nil
	case errors.Is(err, bearer.ErrInvalid):
		return callgatev1alpha1.ReasonInvalidRef, message + err.Error(), nil
	}
	return "", "", fmt.Errorf("reading the Secret of a policy: %w", err)
}

func detailOf(err error) string {
	if e, ok := errors.AsType[*outbound.Error](err); ok {
		return e.Detail
	}
	return err.Error()
}

// buildOutbound makes what the policies have Callgate ask, and what reads its secrets.
func (p *parts) buildOutbound(restConfig *rest.Config) error {
	upstreams, err := p.opts.upstreams()
	if err != nil {
		return err
	}
	config := controllers.ClientConfig(restConfig)
	// Longer than one read takes at most, which has a deadline of its own.
	config.Timeout = 5 * time.Second
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making the client that reads Secrets: %w", err)
	}
	get := func(ctx context.Context, namespace, name string, opts metav1.GetOptions) (*corev1.Secret, error) {
		return client.CoreV1().Secrets(namespace).Get(ctx, name, opts)
	}
	reader := bearer.NewReader(get, nil)
	opts := semantic.DefaultOptions()
	opts.Upstreams = upstreams
	opts.Observer = validatorObserver{p.metrics.Validator}
	if p.semantic, err = semantic.New(opts); err != nil {
		return fmt.Errorf("setting up semantic validation: %w", err)
	}
	p.validator = &validator{ask: p.semantic.Validate, tokens: reader, log: p.log.WithName("validator")}
	p.references = &references{upstreams: upstreams, tokens: reader}
	return p.buildExecution(restConfig, upstreams)
}
