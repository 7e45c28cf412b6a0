package toolcall

import (
	"errors"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// What a review says it is.
const (
	APIVersion = "review.callgate.dev/v1alpha1"
	Kind       = "ToolCallReview"
)

// DecodeReview decodes the body of a ToolCallReview request:
//
//	{"apiVersion": "review.callgate.dev/v1alpha1", "kind": "ToolCallReview",
//	 "request": {"uid": "…", "calls": […] | "message": {"format": "…", "body": …},
//	  "context": {"tenant": "…", "attributes": {…}},
//	  "onBehalfOf": {"namespace": "…", "serviceAccountName": "…"}}}
//
// An error is an *EnvelopeError: of status 400 for whatever is wrong with the
// envelope, or 422 for a message that is positively one without calls. What is
// wrong with one call is that call's Fault. The caller has bounded the body;
// calls refer to it.
func DecodeReview(body []byte) (Review, error) {
	if err := check(body); err != nil {
		return Review{}, err
	}
	request, err := decodeTop(body, Kind)
	if err != nil {
		return Review{}, err
	}
	return decodeRequest(request)
}

func decodeRequest(raw []byte) (Review, error) {
	fields, err := strictObject(raw, "request", "uid", "calls", "message", "context", "onBehalfOf")
	if err != nil {
		return Review{}, err
	}
	r, err := decodeCalls(fields[1], fields[2])
	if err != nil {
		return Review{}, err
	}
	if fields[0] != nil {
		if r.UID, err = decodeUID(fields[0]); err != nil {
			return Review{}, err
		}
	}
	if fields[3] != nil {
		if r.Context, err = decodeContext(fields[3]); err != nil {
			return Review{}, err
		}
	}
	if fields[4] != nil {
		if r.OnBehalfOf, err = decodeOnBehalfOf(fields[4]); err != nil {
			return Review{}, err
		}
	}
	return r, nil
}

func decodeCalls(calls, message []byte) (Review, error) {
	switch {
	case calls != nil && message != nil:
		return Review{}, badRequest("request has both calls and message; exactly one is wanted")
	case calls != nil:
		list, err := decodeNative(calls)
		return Review{Format: Native, Calls: list}, err
	case message != nil:
		return decodeEnvelopedMessage(message)
	default:
		return Review{}, badRequest("request has neither calls nor message")
	}
}

// decodeUID admits what can stand unescaped in a log line, a label or a header.
func decodeUID(raw []byte) (string, error) {
	uid, ok := plainText(raw)
	if !ok || len(uid) > MaxUIDBytes || strings.ContainsFunc(uid, notUID) {
		return "", badRequest("request.uid must be at most %d characters of A-Z a-z 0-9 . _ : -", MaxUIDBytes)
	}
	return uid, nil
}

func notUID(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("._:-", r)
}

func decodeEnvelopedMessage(raw []byte) (Review, error) {
	fields, err := strictObject(raw, "request.message", "format", "body")
	if err != nil {
		return Review{}, err
	}
	name, ok := plainText(fields[0])
	if !ok {
		return Review{}, badRequest("request.message.format must be a string, one of %s, %s", formatList(messageFormats...), Auto)
	}
	if fields[1] == nil {
		return Review{}, badRequest("request.message.body is missing")
	}
	return decodeChecked(Format(name), fields[1])
}

// strictObject reads an object of the review's own envelope, which may have
// these keys once each and no others. Values are in the order of keys, nil
// where absent. where names the object in errors.
func strictObject(raw []byte, where string, keys ...string) ([][]byte, error) {
	members, err := rawjson.Members(raw, maxMembers)
	if errors.Is(err, rawjson.ErrTooMany) {
		return nil, badRequest("%s has more than %d fields", where, maxMembers)
	}
	if err != nil {
		return nil, badRequest("%s must be an object", where)
	}
	values := make([][]byte, len(keys))
	for _, m := range members {
		at := slices.Index(keys, m.Key)
		if at < 0 {
			return nil, unknownField(where, m.Key, keys)
		}
		if values[at] != nil {
			return nil, badRequest("%s has the field %s twice", where, quoted(m.Key))
		}
		values[at] = m.Value
	}
	return values, nil
}

func unknownField(where, name string, keys []string) error {
	if key, ok := resembled(name, keys); ok {
		return badRequest("%s has the field %s, which must be spelt %q", where, quoted(name), key)
	}
	return badRequest("%s has the unknown field %s", where, quoted(name))
}

// plainText is the text of a JSON string that means the same to every reader.
func plainText(raw []byte) (string, bool) {
	if rawjson.KindOf(raw) != rawjson.String {
		return "", false
	}
	s, bad := rawjson.Text(raw)
	return s, !bad
}
