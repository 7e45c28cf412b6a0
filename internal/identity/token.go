package identity

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// shaped reports whether token can be a JWT: three non-empty base64url parts. It
// runs on every request, before anything that costs more.
func shaped(token string) bool {
	if len(token) > maxTokenBytes {
		return false
	}
	dots, part := 0, 0
	for i := range len(token) {
		switch c := token[i]; {
		case c == '.':
			if part == 0 {
				return false
			}
			dots, part = dots+1, 0
		case base64url(c):
			part++
		default:
			return false
		}
	}
	return dots == 2 && part > 0
}

func base64url(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// claims are the two that we judge ourselves. The issuer, nbf and the signature are
// the API server's to judge.
type claims struct {
	Audience audience `json:"aud"`
	// Expiry is a NumericDate, which may have a fraction.
	Expiry *float64 `json:"exp"`
}

// audience is a string or a list of strings.
type audience []string

func (a *audience) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(a))
}

// maxExpiry keeps the conversion to int64 exact: the year 9999.
const maxExpiry = 253402300799

// expiry reads the payload of a shaped token and returns its exp. It reports false
// unless the token is made out to aud and exp is ahead of now: the API server goes
// on accepting a token for more than a minute after its exp.
func expiry(token, aud string, now time.Time) (time.Time, bool) {
	payload := token[strings.IndexByte(token, '.')+1 : strings.LastIndexByte(token, '.')]
	text, err := base64.RawURLEncoding.Strict().DecodeString(payload)
	if err != nil {
		return time.Time{}, false
	}
	var c claims
	if json.Unmarshal(text, &c) != nil || c.Expiry == nil || !slices.Contains(c.Audience, aud) {
		return time.Time{}, false
	}
	if *c.Expiry <= 0 || *c.Expiry > maxExpiry {
		return time.Time{}, false
	}
	// Whole seconds, rounded down: never later than the token says.
	exp := time.Unix(int64(*c.Expiry), 0)
	return exp, now.Before(exp)
}
