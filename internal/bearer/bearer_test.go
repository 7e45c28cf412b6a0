package bearer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
)

// api is an API server with one answer.
type api struct {
	secret *corev1.Secret
	err    error
	asked  int
}

func (a *api) get(context.Context, string, string, metav1.GetOptions) (*corev1.Secret, error) {
	a.asked++
	return a.secret, a.err
}

func secretOf(kind corev1.SecretType, value string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7", UID: "u"}, Type: kind, Data: map[string][]byte{"token": []byte(value)},
	}
}

func TestWhatMayBeUsed(t *testing.T) {
	resource := schema.GroupResource{Resource: "secrets"}
	for about, test := range map[string]struct {
		api  api
		key  string
		want error
	}{
		"the right type":   {api{secret: secretOf(SecretType, "t0ken")}, "token", nil},
		"another type":     {api{secret: secretOf(corev1.SecretTypeOpaque, "t0ken")}, "token", ErrNotPermitted},
		"no type":          {api{secret: secretOf("", "t0ken")}, "token", ErrNotPermitted},
		"another key":      {api{secret: secretOf(SecretType, "t0ken")}, "other", ErrNotFound},
		"no value":         {api{secret: secretOf(SecretType, "")}, "token", ErrInvalid},
		"a line end":       {api{secret: secretOf(SecretType, "t0ken\n")}, "token", ErrInvalid},
		"not there":        {api{err: apierrors.NewNotFound(resource, "s")}, "token", ErrNotFound},
		"forbidden":        {api{err: apierrors.NewForbidden(resource, "s", errors.New("no"))}, "token", ErrNotPermitted},
		"no answer":        {api{err: context.DeadlineExceeded}, "token", ErrUnavailable},
		"an odd answer":    {api{err: apierrors.NewInternalError(errors.New("x"))}, "token", ErrUnavailable},
		"a very long name": {api{secret: secretOf(SecretType, strings.Repeat("x", maxTokenBytes+1))}, "token", ErrInvalid},
	} {
		t.Run(about, func(t *testing.T) {
			token, err := NewReader(test.api.get, nil).Read(t.Context(), "ns", "s", test.key)
			if !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if (err == nil) != (token.Value == "t0ken") {
				t.Errorf("token %q with error %v", token.Value, err)
			}
			if err != nil && strings.Contains(err.Error(), "t0ken") {
				t.Errorf("the error tells the value: %v", err)
			}
		})
	}
}

func TestHowLongASecretIsRemembered(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Unix(1, 0))
	a := &api{secret: secretOf(SecretType, "one")}
	r := NewReader(a.get, clock)
	read := func(want string, asked int) {
		t.Helper()
		token, err := r.Read(t.Context(), "ns", "s", "token")
		if got := token.Value; got != want || (err != nil) != (want == "") || a.asked != asked {
			t.Fatalf("%q, %v after %d reads; want %q after %d", got, err, a.asked, want, asked)
		}
	}
	step := func(d time.Duration) { clock.SetTime(clock.Now().Add(d)) }
	read("one", 1)
	a.secret = secretOf(SecretType, "two")
	read("one", 1)
	step(freshFor)
	read("two", 2)
	// An outage goes on with what is known, but not for ever.
	a.err = errors.New("no route")
	step(freshFor)
	read("two", 3)
	step(staleFor)
	read("", 4)
	// A Secret that is gone is gone at once.
	a.err = nil
	read("two", 5)
	step(freshFor)
	a.secret, a.err = nil, apierrors.NewNotFound(schema.GroupResource{}, "s")
	read("", 6)
	read("", 6)
	a.secret, a.err = secretOf(SecretType, "three"), nil
	step(refusalFor)
	read("three", 7)
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	a := &api{secret: secretOf(SecretType, "one")}
	r := NewReader(a.get, nil)
	for i := range maxSecrets + 20 {
		if _, err := r.Read(t.Context(), "ns", strings.Repeat("s", i+1), "token"); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.known) != maxSecrets {
		t.Errorf("%d secrets are kept, want %d", len(r.known), maxSecrets)
	}
}
