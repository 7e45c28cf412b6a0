package identity

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTokensRefusedWithoutAnyLookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exp := time.Now().Add(time.Hour).Unix()
		good := tokenFor(1, time.Hour)
		cases := map[string]string{
			"empty":                  "",
			"no dots":                "abc",
			"two parts":              "a.b",
			"four parts":             "a.b.c.d",
			"empty part":             "a..c",
			"empty signature":        "a.b.",
			"not base64url":          "a.b+.c",
			"a space":                "a. b.c",
			"NUL":                    "a.b\x00.c",
			"over 8 KiB":             good + strings.Repeat("A", maxTokenBytes),
			"payload no JSON":        token("hello"),
			"payload a list":         token(`[]`),
			"payload null":           token(`null`),
			"payload deep":           token(strings.Repeat("[", 4000)),
			"no aud":                 token(fmt.Sprintf(`{"exp":%d}`, exp)),
			"other aud":              token(fmt.Sprintf(`{"aud":"https://kubernetes.default.svc","exp":%d}`, exp)),
			"other auds":             token(fmt.Sprintf(`{"aud":["a","callgate.dev/"],"exp":%d}`, exp)),
			"aud in other case":      token(fmt.Sprintf(`{"aud":"Callgate.dev","exp":%d}`, exp)),
			"aud a number":           token(fmt.Sprintf(`{"aud":1,"exp":%d}`, exp)),
			"aud a list of anything": token(fmt.Sprintf(`{"aud":["callgate.dev",1],"exp":%d}`, exp)),
			"no exp":                 token(`{"aud":"callgate.dev"}`),
			"exp null":               token(`{"aud":"callgate.dev","exp":null}`),
			"exp a string":           token(fmt.Sprintf(`{"aud":"callgate.dev","exp":"%d"}`, exp)),
			"exp now":                token(fmt.Sprintf(`{"aud":"callgate.dev","exp":%d}`, time.Now().Unix())),
			"exp past":               tokenFor(1, -time.Second),
			"exp zero":               token(`{"aud":"callgate.dev","exp":0}`),
			"exp negative":           token(`{"aud":"callgate.dev","exp":-1}`),
			"exp huge":               token(`{"aud":"callgate.dev","exp":1e300}`),
			"exp beyond float64":     token(`{"aud":"callgate.dev","exp":1e999}`),
		}
		s := &apiServer{}
		a := newTest(t, s)
		for name, tok := range cases {
			if _, err := a.Identify(t.Context(), tok); !errors.Is(err, ErrUnauthenticated) {
				t.Errorf("%s: got %v, want ErrUnauthenticated", name, err)
			}
		}
		if n := s.tokens.Load(); n != 0 {
			t.Errorf("%d look-ups for junk, want 0", n)
		}
		if a.no.len() != 0 {
			t.Errorf("junk fills the cache of refusals with %d entries", a.no.len())
		}
	})
}

func TestTokensThatPassTheLocalCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exp := time.Now().Add(time.Hour).Unix()
		for name, tok := range map[string]string{
			"aud a string":     token(fmt.Sprintf(`{"aud":"callgate.dev","exp":%d}`, exp)),
			"aud in a list":    token(fmt.Sprintf(`{"aud":["x","callgate.dev"],"exp":%d}`, exp)),
			"exp a fraction":   token(fmt.Sprintf(`{"aud":"callgate.dev","exp":%d.5}`, exp)),
			"nbf ahead":        token(fmt.Sprintf(`{"aud":"callgate.dev","exp":%d,"nbf":%d}`, exp, exp)),
			"any issuer":       token(fmt.Sprintf(`{"aud":"callgate.dev","exp":%d,"iss":"https://elsewhere"}`, exp)),
			"no issuer at all": token(fmt.Sprintf(`{"aud":"callgate.dev","exp":%d,"x":{}}`, exp)),
		} {
			s := &apiServer{}
			if _, err := newTest(t, s).Identify(t.Context(), tok); err != nil || s.tokens.Load() != 1 {
				t.Errorf("%s: err %v after %d look-ups, want nil after 1", name, err, s.tokens.Load())
			}
		}
	})
}

func FuzzExpiry(f *testing.F) {
	f.Add(`{"aud":"callgate.dev","exp":99999999999}`)
	f.Add(`{"aud":["callgate.dev"],"exp":1e11}`)
	f.Add(`{"aud":{"a":1},"exp":"x"}`)
	now := time.Unix(1_700_000_000, 0)
	f.Fuzz(func(t *testing.T, payload string) {
		tok := token(payload)
		if !shaped(tok) {
			return
		}
		if exp, ok := expiry(tok, DefaultAudience, now); ok && !now.Before(exp) {
			t.Errorf("accepted a token that expired at %s", exp)
		}
	})
}
