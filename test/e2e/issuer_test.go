package e2e_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/gomega"

	"github.com/callgate/callgate/internal/testenv"
	"github.com/callgate/callgate/test/harness"
)

// oidcIssuer is an identity provider that the API server trusts: its users have
// JWTs with our audience and are no ServiceAccounts.
type oidcIssuer struct {
	server *httptest.Server
	key    *rsa.PrivateKey
}

func newIssuer(tb testenv.TB) *oidcIssuer {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	Expect(err).NotTo(HaveOccurred())
	i := &oidcIssuer{key: key}
	i.server = httptest.NewTLSServer(http.HandlerFunc(i.serve))
	tb.Cleanup(i.server.Close)
	return i
}

func (i *oidcIssuer) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var answer any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer = map[string]any{
			"issuer": i.server.URL, "jwks_uri": i.server.URL + "/keys",
			"response_types_supported": []string{"id_token"}, "subject_types_supported": []string{"public"},
			"id_token_signing_alg_values_supported": []string{"RS256"},
		}
	case "/keys":
		answer = map[string]any{"keys": []any{map[string]string{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one",
			"n": encode(i.key.N.Bytes()), "e": encode(big.NewInt(int64(i.key.E)).Bytes()),
		}}}
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// apiServerArgs make kube-apiserver trust the issuer for our audience.
func (i *oidcIssuer) apiServerArgs(tb harness.TB) map[string][]string {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.server.Certificate().Raw})
	config := fmt.Sprintf(`apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
  - issuer:
      url: %s
      audiences: [%s]
      certificateAuthority: |
        %s
    claimMappings:
      username: {claim: sub, prefix: ""}
`, i.server.URL, harness.Audience, strings.ReplaceAll(strings.TrimSpace(string(ca)), "\n", "\n        "))
	file := filepath.Join(tb.TempDir(), "authentication.yaml")
	Expect(os.WriteFile(file, []byte(config), 0o600)).To(Succeed())
	return map[string][]string{
		"authentication-config": {file},
		// The audiences of JWT issuers must be the API server's own.
		"api-audiences": {"https://kubernetes.default.svc", harness.Audience},
	}
}

// token signs a token for a user.
func (i *oidcIssuer) token(user string, life time.Duration) string {
	now := time.Now()
	return sign(i.key, map[string]any{"alg": "RS256", "kid": "one", "typ": "JWT"}, map[string]any{
		"iss": i.server.URL, "sub": user, "aud": harness.Audience,
		"iat": now.Add(-time.Minute).Unix(), "exp": now.Add(life).Unix(),
	})
}

// sign makes a JWT.
func sign(key *rsa.PrivateKey, header, claims map[string]any) string {
	h, err := json.Marshal(header)
	Expect(err).NotTo(HaveOccurred())
	c, err := json.Marshal(claims)
	Expect(err).NotTo(HaveOccurred())
	text := encode(h) + "." + encode(c)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	Expect(err).NotTo(HaveOccurred())
	return text + "." + encode(signature)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
