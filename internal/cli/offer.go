package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// offers tells a request, with which a client offers tools, from an answer, in which a
// model calls them.
func offers(body []byte) bool {
	if !wellFormed(body) {
		return false
	}
	body = trimSpace(body)
	if rawjson.KindOf(body) == rawjson.Array {
		names, err := rawjson.Elements(body, toolcall.MaxOffered)
		return err == nil && len(names) > 0 && !slices.ContainsFunc(names, func(name []byte) bool { return rawjson.KindOf(name) != rawjson.String })
	}
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return memberOf(body, key) != nil })
	}
	switch {
	case isReview(body):
		kind, _ := rawjson.Text(memberOf(body, "kind"))
		return kind == toolcall.KindRequestReview
	case has("output", "choices", "candidates", "message", "tool_calls"):
		return false
	case has("messages", "contents", "input", "functions", "tools", "toolConfig", "tool_config"):
		return true
	}
	return memberOf(memberOf(body, "result"), "tools") != nil
}

// memberOf is the member of an object, nil where there is none.
func memberOf(raw []byte, key string) []byte {
	members, _ := rawjson.Members(raw, toolcall.MaxBodyBytes)
	for _, m := range members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// parseOffer reads a review of an offer, or wraps a bare request in one.
func parseOffer(body []byte, format string) (question, error) {
	body = trimSpace(body)
	if rawjson.KindOf(body) == rawjson.Object && isReview(body) {
		in, err := toolcall.DecodeRequestReview(body)
		if err != nil {
			return question{}, fmt.Errorf("reading the ToolRequestReview: %w", err)
		}
		return question{offer: &in, request: memberOf(body, "request")}, nil
	}
	in, request, err := wrapOffer(body, format)
	if err != nil {
		return question{}, fmt.Errorf("reading the request: %w; say what it is with --format", err)
	}
	return question{offer: &in, request: request}, nil
}

// wrapOffer decodes what the endpoint would get of a bare request, or a list of names.
func wrapOffer(body []byte, format string) (in toolcall.Offer, request []byte, err error) {
	var wrapped any = map[string]any{"tools": json.RawMessage(body)}
	if rawjson.KindOf(body) == rawjson.Object {
		wrapped = map[string]any{"message": map[string]any{"format": format, "body": json.RawMessage(body)}}
	}
	if request, err = encode(wrapped); err != nil {
		return in, nil, err
	}
	whole, err := encode(envelope{APIVersion: toolcall.APIVersion, Kind: toolcall.KindRequestReview, Request: request})
	if err != nil {
		return in, nil, err
	}
	in, err = toolcall.DecodeRequestReview(whole)
	return in, request, err
}

// judgeOffer judges an offer and prints the verdict.
func (o *reviewOptions) judgeOffer(ctx context.Context, d Deps, set *manifest.Set, out *compile.Output, caller review.Caller, q question) error {
	if q.offer.UID == "" {
		q.offer.UID = derivedUID(out.Revision, caller, q)
	}
	snap := snapshot.New(out)
	roles := fileset.Authorizer(set)
	given, refused := delegated(snap, roles, caller, *q.offer.Session())
	if refused != nil {
		fmt.Fprintln(d.Err, refused)
		return errBlocked
	}
	decision, trace := review.Offers(snap, caller, q.offer, nil, given), (*review.Trace)(nil)
	if o.explain {
		decision, trace = review.ExplainOffers(snap, caller, q.offer, nil, given)
		trace = explained(trace, roles)
	}
	var port review.Validator = review.NoValidator{}
	if o.validator != "" {
		port = saidValidator(o.validator == "true")
	}
	decision = validated(ctx, decision, port)
	err := o.print(d, answered{toolcall.KindRequestReview, q.request, &decision.Response, trace}, func(p *printer) error { return p.offer(&decision.Response) })
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	if !decision.Response.Allowed {
		return errBlocked
	}
	return nil
}

// validated asks what the policies want asked, and gives the verdict.
func validated(ctx context.Context, d review.OfferDecision, port review.Validator) review.OfferDecision {
	answers := make([]review.Answer, 0, len(d.Questions))
	for _, q := range d.Questions {
		answers = append(answers, port.Validate(ctx, q))
	}
	return d.Answered(answers)
}

// saidValidator answers as its user said.
type saidValidator bool

// Validate implements review.Validator.
func (v saidValidator) Validate(context.Context, review.Question) review.Answer {
	return review.Answer{Valid: bool(v), Reason: "as --validator-answer says"}
}

func (p *printer) offer(r *reviewv1alpha1.ToolRequestReviewResponse) error {
	var b bytes.Buffer
	for _, name := range r.Details.RequestedTools {
		p.offered(&b, r, name)
	}
	for _, name := range r.Details.InvalidSchemas {
		if !slices.Contains(r.Details.RequestedTools, name) {
			fmt.Fprintf(&b, "%s%s%s %s  its ToolSchema is not accepted: see the problems above\n", p.red, p.block, p.reset, quoteEmpty(name))
		}
	}
	for _, m := range r.Details.MalformedEntries {
		fmt.Fprintf(&b, "%s%s%s entry %d  %s: %s\n", p.red, p.block, p.reset, m.Index, shown.Escape(m.Reason), entryHint(m.Reason))
	}
	if reason := r.Details.SemanticReason; reason != "" || r.Details.SemanticValidated {
		fmt.Fprintf(&b, "    validator %s\n", shown.Escape(reason))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "    %swarning%s %s\n", p.yellow, p.reset, shown.Escape(w))
	}
	if len(r.Policies) > 0 {
		fmt.Fprintf(&b, "    policies %s\n", shown.Escape(strings.Join(r.Policies, ", ")))
	}
	verdict := p.green + "allowed" + p.reset
	switch {
	case !r.Allowed:
		verdict = p.red + "blocked" + p.reset
	case r.WouldBlock:
		verdict += ", a policy without Deny would block it"
	}
	fmt.Fprintf(&b, "%s: %s, by revision %s\n", verdict, r.ReasonCode, shown.Escape(r.Revision))
	_, err := p.out.Write(b.Bytes())
	return err
}

// offered writes the line of one name.
func (p *printer) offered(b *bytes.Buffer, r *reviewv1alpha1.ToolRequestReviewResponse, name string) {
	var notes []string
	if slices.Contains(r.Details.UndeclaredTools, name) {
		notes = append(notes, "not declared")
	}
	if slices.Contains(r.Details.InvalidSchemas, name) {
		notes = append(notes, "its schema does not compile")
	}
	mark, colour := p.block, p.red
	switch {
	case slices.Contains(r.PermittedTools, name):
		mark, colour = p.allow, p.green
	case r.Allowed:
		mark, colour = p.allow, p.yellow
	case len(notes) == 0 && r.Details.SemanticReason == "":
		notes = append(notes, "not on its own")
	}
	fmt.Fprintf(b, "%s%s%s %s", colour, mark, p.reset, quoteEmpty(name))
	if len(notes) > 0 {
		fmt.Fprintf(b, "  %s", strings.Join(notes, ", "))
	}
	b.WriteByte('\n')
}

// entryHint says what a fault means to whoever writes the request.
func entryHint(reason string) string {
	switch toolcall.EntryFault(reason) {
	case toolcall.EntryNotAnObject:
		return "it is no object, or no string in a list of names"
	case toolcall.EntryNoName:
		return "nothing in it is the name of a tool"
	case toolcall.EntryTwoNames:
		return "it names two tools, and readers differ on which it is"
	case toolcall.EntryDeclaredTwice:
		return "another entry declares the same name"
	default:
		return "its keys occur twice, are spelt differently, or hold what they may not"
	}
}
