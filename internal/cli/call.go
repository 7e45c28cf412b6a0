package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/toolcall"
)

// formatAuto asks the call itself what it is.
const formatAuto = string(toolcall.Auto)

// formats are the words that --format takes.
var formats = []string{
	formatAuto, string(toolcall.Native), string(toolcall.OpenAIChat), string(toolcall.OpenAIResponses),
	string(toolcall.Anthropic), string(toolcall.Gemini), string(toolcall.Bedrock), string(toolcall.MCP),
}

// question is what to judge, and the review's request that asks it.
type question struct {
	review toolcall.Review
	// execution: the review's one call is to be run.
	execution bool
	// offer is set instead of review for what a client offers.
	offer   *toolcall.Offer
	request json.RawMessage
}

// readCall reads CALL within the bound of the endpoint: what it would refuse is not
// judged here either.
func (d Deps) readCall(typed string) ([]byte, error) {
	in, name := d.In, "standard input"
	if typed != manifest.Stdin {
		f, err := d.FS.Open(d.source(typed).Path)
		if err != nil {
			return nil, fmt.Errorf("reading the call: %s: %w", typed, cause(err))
		}
		defer func() { _ = f.Close() }()
		in, name = f, typed
	}
	body, err := io.ReadAll(io.LimitReader(in, toolcall.MaxBodyBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the call: %s: %w", name, cause(err))
	case len(body) > toolcall.MaxBodyBytes:
		return nil, fmt.Errorf("reading the call: %s is larger than %d KiB, which the endpoint refuses", name, toolcall.MaxBodyBytes>>10)
	}
	return body, nil
}

// cause is an error without the path that it repeats.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// parseCall finds out what the call is and makes a review of it.
func parseCall(body []byte, format string) (question, error) {
	if executes(body) {
		return parseExecution(body)
	}
	if offers(body) {
		return parseOffer(body, format)
	}
	switch format {
	case formatAuto:
		return parseAny(body)
	case string(toolcall.Native):
		return parseNative(body)
	}
	if !slices.Contains(formats, format) {
		return question{}, fmt.Errorf("--format %q is unknown: choose one of %s", format, strings.Join(formats, ", "))
	}
	return parseMessage(toolcall.Format(format), body)
}

func parseAny(body []byte) (question, error) {
	if isReview(body) {
		return parseReview(body)
	}
	if format, ok := toolcall.SniffMessage(body); ok {
		return parseMessage(format, body)
	}
	if !wellFormed(body) {
		_, err := toolcall.DecodeReview(body)
		return question{}, fmt.Errorf("reading the call: %w", err)
	}
	// One call in our own shape, as people write it by hand.
	if q, err := parseNative(body); err == nil {
		return q, nil
	}
	_, err := toolcall.DecodeMessage(toolcall.Auto, body)
	return question{}, fmt.Errorf("reading the call: it is no review, and %w; say what it is with --format", err)
}

func wellFormed(body []byte) bool {
	_, err := rawjson.Check(body, toolcall.MaxDepth)
	return err == nil
}

// isReview tells by what the object says it is: no provider's message has a kind
// and an apiVersion.
func isReview(body []byte) bool {
	if !wellFormed(body) || rawjson.KindOf(trimSpace(body)) != rawjson.Object {
		return false
	}
	members, err := rawjson.Members(body, toolcall.MaxBodyBytes)
	return err == nil && slices.ContainsFunc(members, func(m rawjson.Member) bool {
		return m.Key == "apiVersion" || m.Key == "kind"
	})
}

func parseReview(body []byte) (question, error) {
	in, err := toolcall.DecodeReview(body)
	if err != nil {
		return question{}, fmt.Errorf("reading the ToolCallReview: %w", err)
	}
	return question{review: in, request: memberOf(body, "request")}, nil
}

// parseMessage wraps a bare message in the review that a client would send.
func parseMessage(format toolcall.Format, body []byte) (question, error) {
	return wrap(body, func() any {
		return map[string]any{"message": reviewv1alpha1.ProviderMessage{Format: reviewv1alpha1.MessageFormat(format), Body: body}}
	})
}

// parseNative wraps one call of our own shape, or a list of them.
func parseNative(body []byte) (question, error) {
	return wrap(body, func() any {
		if rawjson.KindOf(trimSpace(body)) == rawjson.Array {
			return map[string]any{"calls": json.RawMessage(body)}
		}
		return map[string]any{"calls": []json.RawMessage{body}}
	})
}

func wrap(body []byte, request func() any) (question, error) {
	// Embedding the text in another must not change where it ends.
	if !wellFormed(body) {
		_, err := toolcall.DecodeReview(body)
		return question{}, fmt.Errorf("reading the call: %w", err)
	}
	raw, err := encode(request())
	if err != nil {
		return question{}, fmt.Errorf("wrapping the call: %w", err)
	}
	review, err := encode(envelope{APIVersion: toolcall.APIVersion, Kind: toolcall.Kind, Request: raw})
	if err != nil {
		return question{}, fmt.Errorf("wrapping the call: %w", err)
	}
	in, err := toolcall.DecodeReview(review)
	if err != nil {
		return question{}, fmt.Errorf("reading the call: %w", err)
	}
	return question{review: in, request: raw}, nil
}

// envelope is a review whose request is kept as it was written. Its response is that of
// its kind.
type envelope struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Request    json.RawMessage `json:"request"`
	Response   any             `json:"response,omitempty"`
	// Explanation is there where it was asked for. No server answers with one.
	Explanation *review.Trace `json:"explanation,omitempty"`
}
