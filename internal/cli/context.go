package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rbac"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// contextOptions are what an application says besides the call.
type contextOptions struct {
	tenant, attributes, onBehalfOf string
}

func (o contextOptions) set() bool { return o != contextOptions{} }

// addTo puts what the flags say into the review, as a client would have. A review that
// says something itself is taken at its word, and so cannot be asked with flags too.
func (o contextOptions) addTo(d Deps, q question) (question, error) {
	if !o.set() {
		return q, nil
	}
	extra, err := o.members(d)
	if err != nil {
		return q, err
	}
	for key := range extra {
		if memberOf(q.request, key) != nil {
			return q, fmt.Errorf("the review has its own %s: change it there, or leave the flag out", key)
		}
	}
	text, err := encode(extra)
	if err != nil {
		return q, fmt.Errorf("adding the context: %w", err)
	}
	// The request stays as it was written; the new members come first.
	rest := bytes.TrimPrefix(trimSpace(q.request), []byte("{"))
	request := append(append(bytes.TrimSuffix(trimSpace(text), []byte("}")), ','), rest...)
	again, err := q.with(request)
	if err != nil {
		return q, fmt.Errorf("reading the context: %w", err)
	}
	return again, nil
}

// with is a question of the same kind by another request.
func (q question) with(request []byte) (question, error) {
	kind := toolcall.Kind
	switch {
	case q.offer != nil:
		kind = toolcall.KindRequestReview
	case q.execution:
		kind = toolcall.KindExecution
	}
	review, err := encode(envelope{APIVersion: toolcall.APIVersion, Kind: kind, Request: request})
	if err != nil {
		return q, err
	}
	again := question{execution: q.execution, request: request}
	switch {
	case q.offer != nil:
		var in toolcall.Offer
		in, err = toolcall.DecodeRequestReview(review)
		again.offer = &in
	case q.execution:
		again.review, err = toolcall.DecodeExecution(review)
	default:
		again.review, err = toolcall.DecodeReview(review)
	}
	return again, err
}

func (o contextOptions) members(d Deps) (map[string]json.RawMessage, error) {
	extra := map[string]any{}
	context := map[string]any{}
	if o.tenant != "" {
		context["tenant"] = o.tenant
	}
	if o.attributes != "" {
		text, err := o.readAttributes(d)
		if err != nil {
			return nil, err
		}
		context["attributes"] = json.RawMessage(text)
	}
	if len(context) > 0 {
		extra["context"] = context
	}
	if o.onBehalfOf != "" {
		target, err := parseCaller(o.onBehalfOf)
		if err != nil {
			return nil, fmt.Errorf("--on-behalf-of: %w", err)
		}
		extra["onBehalfOf"] = map[string]string{"namespace": target.Namespace, "serviceAccountName": target.Name}
	}
	members := make(map[string]json.RawMessage, len(extra))
	for key, value := range extra {
		text, err := encode(value)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", key, err)
		}
		members[key] = text
	}
	return members, nil
}

// readAttributes takes JSON, or @ and a file that has it.
func (o contextOptions) readAttributes(d Deps) ([]byte, error) {
	text := []byte(o.attributes)
	if file, ok := strings.CutPrefix(o.attributes, "@"); ok {
		f, err := d.FS.Open(d.source(file).Path)
		if err != nil {
			return nil, fmt.Errorf("--context: %s: %w", file, cause(err))
		}
		defer func() { _ = f.Close() }()
		if text, err = io.ReadAll(io.LimitReader(f, toolcall.MaxBodyBytes)); err != nil {
			return nil, fmt.Errorf("--context: %s: %w", file, cause(err))
		}
	}
	if !wellFormed(text) {
		return nil, errors.New("--context must be a JSON object, or @FILE with one: it is what rules read as context.attributes")
	}
	return text, nil
}

// judgeCalls judges as the endpoint does, by the roles that the files have. refused is
// what the endpoint would answer with 403.
func judgeCalls(snap *snapshot.Snapshot, roles *rbac.Authorizer, caller review.Caller, in toolcall.Review) (d review.Decision, refused error) {
	given, refused := delegated(snap, roles, caller, in)
	if refused != nil {
		return d, refused
	}
	return review.Calls(snap, caller, in, given), nil
}

// delegated gives the answers of the roles, or why nothing is judged.
func delegated(snap *snapshot.Snapshot, roles *rbac.Authorizer, caller review.Caller, in toolcall.Review) (review.Answers, error) {
	given := roles.Answers(review.Needs(snap, caller, &in))
	if q, asked := review.Delegation(caller, &in); asked && given[q] != review.Granted {
		return nil, fmt.Errorf("%s may not ask on behalf of %s/%s: no role in the files grants it the verb reviewas on that ServiceAccount", caller.Username(), q.In, q.Name)
	}
	return given, nil
}

// namespaceLabels are what tenants may be read from.
func namespaceLabels(set *manifest.Set) map[string]map[string]string {
	labels := make(map[string]map[string]string, len(set.Namespaces))
	for _, ns := range set.Namespaces {
		labels[ns.Name] = ns.Labels
	}
	return labels
}
