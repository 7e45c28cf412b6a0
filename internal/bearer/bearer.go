// Package bearer reads bearer tokens from Secrets by name, for whatever a policy has
// Callgate ask. It never lists or watches: the roles that let it read are granted
// namespace by namespace, and a Secret must have the type by which its owner consents.
package bearer

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

// SecretType is the type of a Secret whose owner lets policies of its namespace use it.
const SecretType corev1.SecretType = "callgate.dev/bearer-token" //nolint:gosec // the name of a type, and no secret

const (
	// freshFor is how long a Secret is used before it is read again: a rotated token is
	// used within it, and a busy policy reads six times a minute.
	freshFor = 10 * time.Second
	// refusalFor is the same of one that cannot be used.
	refusalFor = 2 * time.Second
	// staleFor is how long a Secret is used while the API server gives no answer: as long
	// as a caller's identity is.
	staleFor = 5 * time.Minute
	// maxSecrets bounds what is kept; each has 1 MiB at most, and commonly 1 KiB. Only
	// values of the right type are kept.
	maxSecrets = 512
	// maxTokenBytes bounds a token: servers take 8 KiB of headers and more.
	maxTokenBytes = 16 << 10
	// readTimeout bounds one read.
	readTimeout = 2 * time.Second
)

// Why a token cannot be had. Compare with errors.Is.
var (
	// ErrNotFound: there is no such Secret, or no such key in it.
	ErrNotFound = errors.New("not found")
	// ErrNotPermitted: the Secret has another type, or Callgate may not read it.
	ErrNotPermitted = errors.New("not permitted")
	// ErrInvalid: the value is no token.
	ErrInvalid = errors.New("invalid")
	// ErrUnavailable: the API server gave no answer.
	ErrUnavailable = errors.New("unavailable")
)

// Error says what to do. It holds no value.
type Error struct {
	Kind    error
	Message string
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Getter reads one Secret. client-go's Secrets(namespace).Get is one, curried.
type Getter func(ctx context.Context, namespace, name string, opts metav1.GetOptions) (*corev1.Secret, error)

// Reader reads tokens and remembers them for a short while. It is safe for concurrent
// use.
type Reader struct {
	get   Getter
	clock clock.PassiveClock

	mu    sync.Mutex
	known map[types.NamespacedName]known
}

// known is what became of one read.
type known struct {
	data    map[string]string
	version string
	err     *Error
	at      time.Time
}

// Token is a value and the version of the Secret that it is from. It is not to be
// printed.
type Token struct{ Value, Version string }

// NewReader makes a Reader. A nil clock is the real one.
func NewReader(get Getter, c clock.PassiveClock) *Reader {
	if c == nil {
		c = clock.RealClock{}
	}
	return &Reader{get: get, clock: c, known: map[types.NamespacedName]known{}}
}

// Read gives the token under a key of a Secret, from memory or by asking. The error is
// an *Error.
func (r *Reader) Read(ctx context.Context, namespace, name, key string) (Token, error) {
	k := r.secret(ctx, types.NamespacedName{Namespace: namespace, Name: name})
	if k.err != nil {
		return Token{}, k.err
	}
	value, ok := k.data[key]
	switch {
	case !ok:
		return Token{}, &Error{ErrNotFound, "Secret " + name + " has no key " + key}
	case !usable(value):
		return Token{}, &Error{ErrInvalid, "the value of key " + key + " of Secret " + name +
			" is no bearer token: it must be 1 to 16384 visible ASCII characters, without white space or a line end"}
	}
	return Token{Value: value, Version: k.version}, nil
}

// usable says whether a value fits a header (RFC 6750).
func usable(value string) bool {
	return value != "" && len(value) <= maxTokenBytes && strings.IndexFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

func (r *Reader) secret(ctx context.Context, key types.NamespacedName) known {
	now := r.clock.Now()
	r.mu.Lock()
	have, ok := r.known[key]
	r.mu.Unlock()
	if ok && now.Sub(have.at) < have.life() {
		return have
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	secret, err := r.get(ctx, key.Namespace, key.Name, metav1.GetOptions{})
	got := judge(secret, err, key.Name)
	got.at = now
	if got.err != nil && got.err.Kind == ErrUnavailable { //nolint:errorlint // Kind is one of ours, and never wrapped
		if ok && have.err == nil && now.Sub(have.at) < staleFor {
			return have
		}
		return got
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.makeRoom(key)
	r.known[key] = got
	return got
}

func (k known) life() time.Duration {
	if k.err != nil {
		return refusalFor
	}
	return freshFor
}

// makeRoom drops the oldest where a new one would be too many.
func (r *Reader) makeRoom(key types.NamespacedName) {
	if _, ok := r.known[key]; ok || len(r.known) < maxSecrets {
		return
	}
	var oldest types.NamespacedName
	first := true
	for k, v := range r.known {
		if first || v.at.Before(r.known[oldest].at) {
			oldest, first = k, false
		}
	}
	delete(r.known, oldest)
}

func judge(secret *corev1.Secret, err error, name string) known {
	fault := func(kind error, message string) known { return known{err: &Error{kind, message}} }
	switch {
	case apierrors.IsNotFound(err):
		return fault(ErrNotFound, "there is no Secret "+name)
	case apierrors.IsForbidden(err):
		return fault(ErrNotPermitted, "Callgate may not read Secret "+name+
			": bind the ClusterRole callgate-secret-reader in this namespace to its ServiceAccount")
	case err != nil:
		return fault(ErrUnavailable, "Secret "+name+" could not be read: the API server gave no answer")
	case secret.Type != SecretType:
		return fault(ErrNotPermitted, "Secret "+name+" has not the type "+string(SecretType)+
			", by which its owner lets policies use it; a Secret's type cannot be changed, so create it anew")
	}
	data := make(map[string]string, len(secret.Data))
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return known{data: data, version: string(secret.UID) + "/" + secret.ResourceVersion}
}
