package app

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/callgate/callgate/internal/identity"
	"github.com/callgate/callgate/internal/rbac"
	"github.com/callgate/callgate/internal/review"
)

const (
	// maxIdentities and maxIdentitiesBytes bound the file: every ServiceAccount of the
	// largest clusters that Kubernetes is tested with would fit.
	maxIdentities      = 10_000
	maxIdentitiesBytes = 4 << 20
	// minToken keeps out what can be guessed: 16 characters at random are 64 bits even
	// in hexadecimal. maxToken is what the server takes of a header.
	minToken, maxToken = 16, 8 << 10
	// issuedBytes is the length of a token that is made here, at random.
	issuedBytes = 32
)

// tokenKey is a keyed hash of a token's hash: what a table is searched by tells nothing of
// the tokens in it, however long the search takes.
type tokenKey [sha256.Size]byte

// identities knows callers by their tokens: those of a file and those that were issued
// here. The zero value knows nobody, and cannot be used.
type identities struct {
	secret []byte
	issued map[tokenKey]review.Caller
	path   string
	log    logr.Logger

	// known are those of the file.
	known atomic.Pointer[map[tokenKey]review.Caller]
}

func newIdentities(path string, log logr.Logger) (*identities, error) {
	i := &identities{secret: make([]byte, sha256.Size), issued: map[tokenKey]review.Caller{}, path: path, log: log}
	if _, err := rand.Read(i.secret); err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return i, nil
}

func (i *identities) keyOf(hash [sha256.Size]byte) tokenKey {
	mac := hmac.New(sha256.New, i.secret)
	mac.Write(hash[:])
	return tokenKey(mac.Sum(nil))
}

// Identify implements webhooks.Identifier. It does the same work for every token.
func (i *identities) Identify(_ context.Context, token string) (review.Caller, error) {
	key := i.keyOf(sha256.Sum256([]byte(token)))
	caller, issued := i.issued[key]
	if known := i.known.Load(); !issued && known != nil {
		caller = (*known)[key]
	}
	if token == "" || len(token) > maxToken || caller.Kind != review.ServiceAccount {
		return review.Caller{}, identity.ErrUnauthenticated
	}
	return caller, nil
}

// count is how many there are.
func (i *identities) count() int {
	n := len(i.issued)
	if known := i.known.Load(); known != nil {
		n += len(*known)
	}
	return n
}

// issue makes a token for an account, and writes it to a file that only its owner reads.
func (i *identities) issue(namespace, name, path string) error {
	caller, err := fileCaller(namespace, name)
	if err != nil {
		return err
	}
	random := make([]byte, issuedBytes)
	if _, err := rand.Read(random); err != nil {
		return fmt.Errorf("making a token: %w", err)
	}
	token := base64.RawURLEncoding.EncodeToString(random)
	i.issued[i.keyOf(sha256.Sum256([]byte(token)))] = caller
	return writePrivate(path, []byte(token+"\n"))
}

// writePrivate writes a file that only its owner may read, and never through the
// permissions of one that is there.
func writePrivate(path string, text []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // whoever starts the process names it
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func fileCaller(namespace, name string) (review.Caller, error) {
	if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
		return review.Caller{}, fmt.Errorf("the namespace is none: %s", problems[0])
	}
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return review.Caller{}, fmt.Errorf("the serviceAccountName is none: %s", problems[0])
	}
	// As the API server would say of the ServiceAccount, so that files and cluster judge
	// alike.
	return review.Caller{
		Kind: review.ServiceAccount, Namespace: namespace, Name: name, Groups: rbac.Groups(namespace), Via: "https",
	}, nil
}

// read reads the file. No error quotes it: it may hold tokens.
func (i *identities) read(_ context.Context, files fs.FS) (use func(), err error) {
	info, err := fs.Stat(files, i.path)
	if err != nil {
		return nil, cannotRead(err)
	}
	f, err := files.Open(i.path)
	if err != nil {
		return nil, cannotRead(err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxIdentitiesBytes+1))
	switch {
	case err != nil:
		return nil, cannotRead(err)
	case len(text) > maxIdentitiesBytes:
		return nil, fmt.Errorf("the file is larger than %d MiB", maxIdentitiesBytes>>20)
	}
	list, err := parseIdentities(text)
	if err != nil {
		return nil, err
	}
	known, plain, err := i.table(list)
	if err != nil {
		return nil, err
	}
	open := info.Mode().Perm()&0o004 != 0
	switch {
	case info.Mode().Perm()&0o002 != 0:
		return nil, errors.New("everybody may write the file, and so become anybody: chmod o-w")
	case open && plain:
		return nil, errors.New("everybody may read the file, and there are tokens in it: chmod o-r, or write tokenSHA256 in place of token")
	}
	return func() {
		i.known.Store(&known)
		if open {
			i.log.Info("Everybody may read the file of identities, though it holds no token")
		}
		i.log.Info("The identities of the file are known", "identities", len(known))
	}, nil
}

func cannotRead(err error) error {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrapped.Err
	}
	return fmt.Errorf("the file cannot be read: %w", err)
}

// fileIdentity is one entry of the file.
type fileIdentity struct {
	Token              string `json:"token"`
	TokenSHA256        string `json:"tokenSHA256"`
	Namespace          string `json:"namespace"`
	ServiceAccountName string `json:"serviceAccountName"`
}

const identitiesForm = "write identities: a list of entries, each with namespace, serviceAccountName, and token or tokenSHA256"

func parseIdentities(text []byte) ([]fileIdentity, error) {
	encoded, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, errors.New("the file is neither YAML nor JSON, or has a key twice: " + identitiesForm)
	}
	var file struct {
		Identities []json.RawMessage `json:"identities"`
	}
	if err := strict(encoded, &file); err != nil || file.Identities == nil {
		return nil, errors.New(identitiesForm + "; nothing else is read")
	}
	if len(file.Identities) > maxIdentities {
		return nil, fmt.Errorf("there are %d identities, and at most %d are read", len(file.Identities), maxIdentities)
	}
	list := make([]fileIdentity, len(file.Identities))
	for n, raw := range file.Identities {
		if err := strict(raw, &list[n]); err != nil {
			return nil, fmt.Errorf("entry %d: it has a key that nothing reads, or a value that is no text: %s", n+1, identitiesForm)
		}
	}
	return list, nil
}

func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// table makes of the entries what tokens are looked up in. plain says that there are
// tokens among them, and not only hashes.
func (i *identities) table(list []fileIdentity) (known map[tokenKey]review.Caller, plain bool, err error) {
	known = make(map[tokenKey]review.Caller, len(list))
	for n, e := range list {
		hash, err := e.hash()
		if err != nil {
			return nil, false, fmt.Errorf("entry %d: %w", n+1, err)
		}
		caller, err := fileCaller(e.Namespace, e.ServiceAccountName)
		if err != nil {
			return nil, false, fmt.Errorf("entry %d: %w", n+1, err)
		}
		key := i.keyOf(hash)
		if _, twice := known[key]; twice {
			return nil, false, fmt.Errorf("entry %d: another entry has the same token", n+1)
		}
		known[key] = caller
		plain = plain || e.Token != ""
	}
	return known, plain, nil
}

func (e *fileIdentity) hash() (hash [sha256.Size]byte, err error) {
	switch {
	case (e.Token == "") == (e.TokenSHA256 == ""):
		return hash, errors.New("write token or tokenSHA256, and not both")
	case e.Token != "":
		if len(e.Token) < minToken || len(e.Token) > maxToken || strings.ContainsFunc(e.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return hash, fmt.Errorf("a token has %d to %d visible ASCII characters, without white space", minToken, maxToken)
		}
		return sha256.Sum256([]byte(e.Token)), nil
	}
	decoded, err := hex.DecodeString(e.TokenSHA256)
	if err != nil || len(decoded) != sha256.Size {
		return hash, errors.New("tokenSHA256 is 64 hexadecimal digits, as sha256sum prints them of the token without a line end")
	}
	return [sha256.Size]byte(decoded), nil
}
