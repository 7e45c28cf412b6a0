package outbound_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/outbound"
	"github.com/callgate/callgate/internal/outbound/outboundtest"
)

func TestParseCABundle(t *testing.T) {
	authority, err := outboundtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	good := string(authority.PEM())
	broken := strings.Replace(good, "\nM", "\n!", 1)
	for name, tc := range map[string]struct{ bundle, want string }{
		"one":                {good, ""},
		"two, with comments": {"# first\n" + good + "\n# second\n" + good, ""},
		"none":               {"", "no PEM block"},
		"text":               {"hello", "no PEM block"},
		"broken beside good": {broken + good, "2 blocks begin, but only 1 can be read"},
		"cut":                {good + good[:len(good)/2], "2 blocks begin, but only 1 can be read"},
		"a key":              {strings.ReplaceAll(good, "CERTIFICATE", "PRIVATE KEY"), `block 1 is "PRIVATE KEY"; give CERTIFICATE blocks only`},
		"no certificate":     {"-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n", "block 1 is no X.509 certificate"},
		"too much":           {string(bytes.Repeat([]byte(good), 1000)), "over 256 KiB"},
	} {
		_, err := outbound.ParseCABundle([]byte(tc.bundle))
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
}
