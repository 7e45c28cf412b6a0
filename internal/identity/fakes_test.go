package identity

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// apiServer is a fake of both reviewers. Its zero value knows every token as the
// ServiceAccount support/assistant and allows everything.
type apiServer struct {
	mu     sync.Mutex
	status func(token string) authenticationv1.TokenReviewStatus
	denied bool
	err    error
	hang   bool
	delay  time.Duration

	tokens, access atomic.Int64
	running, most  atomic.Int64
	lastAccess     atomic.Pointer[authorizationv1.SubjectAccessReviewSpec]
	asked          []time.Time
}

func (s *apiServer) set(f func(*apiServer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

func (s *apiServer) wait(ctx context.Context) error {
	n := s.running.Add(1)
	defer s.running.Add(-1)
	s.mu.Lock()
	s.most.Store(max(s.most.Load(), n))
	err, hang, delay := s.err, s.hang, s.delay
	s.mu.Unlock()
	if hang {
		<-ctx.Done()
		return ctx.Err()
	}
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

type fakeTokens struct{ *apiServer }

func (s fakeTokens) Create(ctx context.Context, r *authenticationv1.TokenReview, _ metav1.CreateOptions) (*authenticationv1.TokenReview, error) {
	s.tokens.Add(1)
	s.set(func(s *apiServer) { s.asked = append(s.asked, time.Now()) })
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := r.DeepCopy()
	if s.status != nil {
		out.Status = s.status(r.Spec.Token)
		return out, nil
	}
	if r.Spec.Token == probeToken {
		out.Status = authenticationv1.TokenReviewStatus{Error: "invalid bearer token"}
		return out, nil
	}
	out.Status = known("system:serviceaccount:support:assistant")
	return out, nil
}

type fakeAccess struct{ *apiServer }

func (s fakeAccess) Create(ctx context.Context, r *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	s.access.Add(1)
	s.lastAccess.Store(r.Spec.DeepCopy())
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := r.DeepCopy()
	out.Status.Allowed = !s.denied
	return out, nil
}

func known(username string) authenticationv1.TokenReviewStatus {
	return authenticationv1.TokenReviewStatus{
		Authenticated: true,
		Audiences:     []string{DefaultAudience},
		User: authenticationv1.UserInfo{
			Username: username, UID: "u-1", Groups: []string{"system:serviceaccounts", "system:authenticated"},
			Extra: map[string]authenticationv1.ExtraValue{"authentication.kubernetes.io/pod-name": {"p"}},
		},
	}
}

func refused(string) authenticationv1.TokenReviewStatus {
	return authenticationv1.TokenReviewStatus{Error: "[invalid bearer token, token has been invalidated]"}
}

func newTest(t *testing.T, s *apiServer, change ...func(*Options)) *Authenticator {
	t.Helper()
	opts := DefaultOptions()
	for _, f := range change {
		f(&opts)
	}
	a, err := NewFromReviewers(opts, fakeTokens{s}, fakeAccess{s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// token makes a JWT with the given payload.
func token(payload string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"RS256"}`)) + "." + enc([]byte(payload)) + "." + enc([]byte("signature"))
}

// tokenFor makes a good token that expires after life; id makes it distinct.
func tokenFor(id int, life time.Duration) string {
	payload, _ := json.Marshal(map[string]any{
		"aud": []string{DefaultAudience}, "exp": time.Now().Add(life).Unix(), "jti": fmt.Sprint(id),
	})
	return token(string(payload))
}
