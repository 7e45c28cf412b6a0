package identity

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// reviewServer answers both reviews over HTTP; while hung it answers nothing.
func reviewServer(t *testing.T) (*httptest.Server, *atomic.Bool) {
	t.Helper()
	hung := &atomic.Bool{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hung.Load() {
			// The server notices that the client is gone only once the body is read.
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		switch r.URL.Path {
		case "/apis/authentication.k8s.io/v1/tokenreviews":
			var in authenticationv1.TokenReview
			_ = json.NewDecoder(r.Body).Decode(&in)
			in.Status = known("system:serviceaccount:support:assistant")
			in.Status.Authenticated = in.Spec.Token != probeToken
			_ = json.NewEncoder(w).Encode(in)
		default:
			var in authorizationv1.SubjectAccessReview
			_ = json.NewDecoder(r.Body).Decode(&in)
			in.Status.Allowed = true
			_ = json.NewEncoder(w).Encode(in)
		}
	}))
	t.Cleanup(s.Close)
	return s, hung
}

func TestThroughARealClient(t *testing.T) {
	s, hung := reviewServer(t)
	opts := DefaultOptions()
	opts.Deadline = 300 * time.Millisecond
	base := &rest.Config{Host: s.URL}
	base.ContentType = "application/json"
	config := ClientConfig(base, opts)
	if config.QPS != -1 || config.Timeout != opts.Deadline || config.Dial == nil || base.QPS != 0 || base.Timeout != 0 {
		t.Errorf("the configuration is %+v", config)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(opts, client)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got, err := a.Identify(t.Context(), tokenFor(1, time.Hour))
	if err != nil || got.Name != "assistant" {
		t.Fatalf("got %+v, %v", got, err)
	}
	hung.Store(true)
	began := time.Now()
	if _, err = a.Identify(t.Context(), tokenFor(2, time.Hour)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a hung API server: %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("waited %s", took)
	}
}

func TestReviewsRefuseOtherOptions(t *testing.T) {
	opts := DefaultOptions()
	opts.Audience = ""
	if _, err := New(opts, &kubernetes.Clientset{}); err == nil {
		t.Error("no audience is accepted")
	}
}
