package semantic

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/callgate/callgate/internal/rawjson"
)

const (
	// DefaultModel is the model's name where a policy gives none.
	DefaultModel = "judge"
	// DefaultTimeout is the time for an answer where a policy gives none.
	DefaultTimeout = 3000 * time.Millisecond
)

// Policy is the ToolPolicy on whose behalf a question is asked.
type Policy struct {
	Namespace, Name, UID string
	Generation           int64
}

// Question is what a policy asks about one offer.
type Question struct {
	Policy Policy
	// Endpoint is the URL of the chat completions, https only.
	Endpoint string
	// Model is the model's name. Empty: judge.
	Model string
	// Token is sent as the bearer token. The zero Token sends none: it is for a policy
	// that names no Secret, never for one whose Secret cannot be read.
	Token Token
	// CABundle is PEM certificates to trust instead of the system's. Empty: the system's.
	CABundle []byte
	// Timeout bounds waiting for a place and the answer together. Zero: 3 s.
	Timeout time.Duration

	// DeclaredTools is the JSON list of the names that the policy declares, Schemas the
	// JSON object of the schemas by tool name, RequestTools the JSON list of the tools
	// as the client offers them. All three are sent as they are.
	DeclaredTools, Schemas, RequestTools []byte
}

// Token is a secret and its version. It prints as neither.
type Token struct {
	// value is behind a pointer, so that printing a struct that holds a Token, which
	// reaches unexported fields without asking Format, shows an address.
	value   *string
	version string
}

// NewToken makes a Token of a Secret's value and its resourceVersion.
func NewToken(value, version string) Token { return Token{value: &value, version: version} }

// Format implements fmt.Formatter.
func (Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[redacted]") }

// MarshalText keeps the value out of JSON and of structured logs.
func (Token) MarshalText() ([]byte, error) { return []byte("[redacted]"), nil }

func (t Token) reveal() string {
	if t.value == nil {
		return ""
	}
	return *t.value
}

// usable reports whether the value fits a header (RFC 6750: visible ASCII).
func (t Token) usable() bool {
	if t.value == nil {
		return true
	}
	return *t.value != "" && strings.IndexFunc(*t.value, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// complete fills the defaults in and refuses what can never be asked.
func (q Question) complete() (Question, *url.URL, *failure) {
	if q.Model == "" {
		q.Model = DefaultModel
	}
	if q.Timeout == 0 {
		q.Timeout = DefaultTimeout
	}
	if q.Timeout < 0 {
		return q, nil, fail(CauseBadQuestion, "the timeout is negative")
	}
	endpoint, err := url.Parse(q.Endpoint)
	if err != nil {
		return q, nil, fail(CauseBadQuestion, "the endpoint is no URL")
	}
	if !q.Token.usable() {
		return q, nil, fail(CauseBadQuestion, "the Secret's value is no bearer token: it is empty, or has white space, line ends or letters beyond ASCII")
	}
	for _, part := range []struct {
		name string
		text []byte
		kind rawjson.Kind
	}{
		{"declared_tools", q.DeclaredTools, rawjson.Array},
		{"schemas", q.Schemas, rawjson.Object},
		{"request_tools", q.RequestTools, rawjson.Array},
	} {
		if _, err := rawjson.Check(part.text, rawjson.MaxNesting); err != nil {
			return q, nil, fail(CauseBadQuestion, part.name+": "+err.Error())
		}
		if rawjson.KindOf(part.text) != part.kind {
			return q, nil, fail(CauseBadQuestion, part.name+" is of the wrong JSON kind")
		}
	}
	return q, endpoint, nil
}

// responseFormat asks for a JSON object with valid and reason. Strict mode wants every
// property required and no other allowed.
const responseFormat = `{"type":"json_schema","json_schema":{"name":"tool_validation","strict":true,"schema":` +
	`{"type":"object","properties":{"valid":{"type":"boolean"},"reason":{"type":"string"}},` +
	`"required":["valid","reason"],"additionalProperties":false}}}`

// requestBody is the chat completion request: the model, one user message that holds
// the JSON text of the three parts, and the response format.
func requestBody(q Question) []byte {
	var text strings.Builder
	text.Grow(len(q.DeclaredTools) + len(q.Schemas) + len(q.RequestTools) + 64)
	text.WriteString(`{"declared_tools":`)
	text.Write(q.DeclaredTools)
	text.WriteString(`,"schemas":`)
	text.Write(q.Schemas)
	text.WriteString(`,"request_tools":`)
	text.Write(q.RequestTools)
	text.WriteString(`}`)

	// Quotes are most of what has to be escaped: an eighth of common schemas.
	out := make([]byte, 0, text.Len()+text.Len()/4+len(q.Model)+len(responseFormat)+128)
	out = append(out, `{"model":`...)
	out = rawjson.AppendString(out, q.Model)
	out = append(out, `,"messages":[{"role":"user","content":`...)
	out = rawjson.AppendString(out, text.String())
	out = append(out, `}],"response_format":`...)
	out = append(out, responseFormat...)
	return append(out, '}')
}
