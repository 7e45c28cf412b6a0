package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"

	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/review"
)

const (
	tokenA = "token-of-a-0123456789"
	tokenB = "token-of-b-0123456789"
)

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func entry(kind, token, name string) string {
	return "- {" + kind + ": " + token + ", namespace: support, serviceAccountName: " + name + "}\n"
}

// identitiesOf reads a file of identities with the given permissions.
func identitiesOf(t *testing.T, text string, mode os.FileMode) (*identities, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "identities.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
	i, err := newIdentities("identities.yaml", logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	use, err := i.read(t.Context(), os.DirFS(dir))
	if err == nil {
		use()
	}
	return i, err
}

func TestIdentities(t *testing.T) {
	i, err := identitiesOf(t, "identities:\n"+entry("token", tokenA, "assistant")+entry("tokenSHA256", hashOf(tokenB), "reader.v2"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	want := review.Caller{
		Kind: review.ServiceAccount, Namespace: "support", Name: "assistant", Via: "https",
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:support", "system:authenticated"},
	}
	got, err := i.Identify(t.Context(), tokenA)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, caller (-want +got):\n%s", err, diff)
	}
	if got, err := i.Identify(t.Context(), tokenB); err != nil || got.Name != "reader.v2" {
		t.Errorf("error %v, caller %+v", err, got)
	}
	for _, token := range []string{"", tokenA + " ", tokenA[1:], hashOf(tokenA), hashOf(tokenB), strings.ToUpper(tokenA), strings.Repeat("x", maxToken+1)} {
		if got, err := i.Identify(t.Context(), token); !errors.Is(err, identity.ErrUnauthenticated) || got.Name != "" {
			t.Errorf("the token %.30q stands for %+v (%v)", token, got, err)
		}
	}
	if got, err := (&identities{}).Identify(t.Context(), ""); err == nil {
		t.Errorf("nothing stands for %+v", got)
	}
}

func TestFilesOfIdentitiesThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		mode os.FileMode
		says string
	}{
		"no YAML":           {"identities: [", 0o600, "neither YAML nor JSON"},
		"nothing":           {"", 0o600, "write identities"},
		"a list":            {entry("token", tokenA, "a"), 0o600, "write identities"},
		"another key":       {"identities: []\nroles: []\n", 0o600, "write identities"},
		"a key twice":       {"identities: []\nidentities: []\n", 0o600, "a key twice"},
		"a key of an entry": {"identities:\n- {token: " + tokenA + ", namespace: support, serviceAccountName: a, groups: [x]}\n", 0o600, "entry 1: it has a key that nothing reads"},
		"a number":          {"identities:\n- {token: 12345678901234567890, namespace: support, serviceAccountName: a}\n", 0o600, "entry 1: it has a key that nothing reads, or a value that is no text"},
		"no token":          {"identities:\n- {namespace: support, serviceAccountName: a}\n", 0o600, "entry 1: write token or tokenSHA256"},
		"both":              {"identities:\n- {token: " + tokenA + ", tokenSHA256: " + hashOf(tokenA) + ", namespace: support, serviceAccountName: a}\n", 0o600, "and not both"},
		"a short token":     {"identities:\n" + entry("token", "short", "a"), 0o600, "16 to 8192 visible"},
		"a token with room": {"identities:\n" + entry("token", `"`+tokenA+` x"`, "a"), 0o600, "without white space"},
		"half a hash":       {"identities:\n" + entry("tokenSHA256", `"`+hashOf(tokenA)[:62]+`"`, "a"), 0o600, "64 hexadecimal digits"},
		"no hash":           {"identities:\n" + entry("tokenSHA256", strings.Repeat("x", 64), "a"), 0o600, "64 hexadecimal digits"},
		"no namespace":      {"identities:\n- {token: " + tokenA + ", serviceAccountName: a}\n", 0o600, "entry 1: the namespace is none"},
		"no account":        {"identities:\n- {token: " + tokenA + ", namespace: support}\n", 0o600, "entry 1: the serviceAccountName is none"},
		"a user name":       {"identities:\n" + entry("token", tokenA, "system:serviceaccount:a:b"), 0o600, "the serviceAccountName is none"},
		"one token twice":   {"identities:\n" + entry("token", tokenA, "a") + entry("tokenSHA256", hashOf(tokenA), "b"), 0o600, "entry 2: another entry has the same token"},
		"open to all":       {"identities:\n" + entry("token", tokenA, "a"), 0o604, "everybody may read the file"},
		"writable by all":   {"identities:\n" + entry("tokenSHA256", hashOf(tokenA), "a"), 0o602, "everybody may write the file"},
		"too many":          {"identities:\n" + strings.Repeat("- {}\n", maxIdentities+1), 0o600, "at most 10000"},
		"too large":         {"identities: []\n#" + strings.Repeat("x", maxIdentitiesBytes), 0o600, "larger than 4 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			i, err := identitiesOf(t, tc.text, tc.mode)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("error %v, want one that says %q", err, tc.says)
			}
			if strings.Contains(err.Error(), tokenA) || strings.Contains(err.Error(), hashOf(tokenA)[:16]) {
				t.Errorf("the error tells a token: %v", err)
			}
			if _, err := i.Identify(t.Context(), tokenA); err == nil {
				t.Error("the token stands for somebody")
			}
		})
	}
	if _, err := identitiesOf(t, "identities:\n"+entry("tokenSHA256", hashOf(tokenA), "a"), 0o644); err != nil {
		t.Errorf("a file that tells no token is refused: %v", err)
	}
}

// Callers come and go with the file; a broken one changes nothing.
func TestServeReloadsIdentities(t *testing.T) {
	e := serveDir(t, map[string]string{"policies/a.yaml": policy("first"), "identities.yaml": "identities:\n" + entry("token", tokenA, "assistant")},
		func(dir string, o *ServeOptions) { o.Identities = dir + "/identities.yaml" })
	status := func(token string) int {
		status, _ := e.post(token, "toolcallreviews", `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":{"calls":[{"name":"first","arguments":{}}]}}`)
		return status
	}
	if a, b := status(tokenA), status(tokenB); a != http.StatusOK || b != http.StatusUnauthorized {
		t.Fatalf("answered %d and %d", a, b)
	}
	e.write("identities.yaml", "identities:\n"+entry("token", tokenB, "assistant")+entry("token", "short", "x"))
	e.eventually("loud", func() bool { return strings.Contains(e.verbose(), "identities: CHANGED AND NOT IN FORCE") })
	if a, b := status(tokenA), status(tokenB); a != http.StatusOK || b != http.StatusUnauthorized {
		t.Errorf("with a broken file answered %d and %d", a, b)
	}
	e.write("identities.yaml", "identities:\n"+entry("tokenSHA256", hashOf(tokenB), "assistant"))
	e.eventually("known by the new token", func() bool { return status(tokenB) == http.StatusOK })
	if a := status(tokenA); a != http.StatusUnauthorized {
		t.Errorf("the old token is answered %d", a)
	}
	if text := e.verbose() + e.log.String(); strings.Contains(text, tokenA) || strings.Contains(text, tokenB) {
		t.Error("a token is told")
	}
	// The one that was issued is not the file's.
	if code := e.code("first"); code != "ok" {
		t.Errorf("the issued token: %s", code)
	}
}

// A token that is issued is its owner's alone, and another one each time.
func TestIssuedTokens(t *testing.T) {
	i, err := newIdentities("", logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("left behind"), 0o666); err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for range 2 {
		if err := i.issue("support", "assistant", file); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, error %v", info.Mode(), err)
		}
		tokens = append(tokens, strings.TrimSpace(string(text)))
	}
	if tokens[0] == tokens[1] || len(tokens[0]) < 40 {
		t.Errorf("tokens %d and %d characters long", len(tokens[0]), len(tokens[1]))
	}
	if caller, err := i.Identify(t.Context(), tokens[1]); err != nil || caller.Name != "assistant" {
		t.Errorf("caller %+v, error %v", caller, err)
	}
	if err := i.issue("support", "Assistant", file); err == nil {
		t.Error("issued for no account")
	}
	if err := i.issue("support", "assistant", filepath.Join(file, "below")); err == nil {
		t.Error("written below a file")
	}
}
