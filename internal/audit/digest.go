package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"sync"
)

// MinKeyBytes is the shortest key: half of the hash's length, below which RFC 2104 wants
// none.
const MinKeyBytes = 16

// Key makes digests that only its holder can make, so that nobody finds out an argument
// by trying what it may be. Equal arguments have equal digests under one key. The zero
// value makes none.
type Key struct {
	hashes *sync.Pool
	id     string
}

// NewKey takes a secret of at least MinKeyBytes. Use the same for all replicas, and their
// digests can be compared.
func NewKey(secret []byte) (Key, error) {
	if len(secret) < MinKeyBytes {
		return Key{}, fmt.Errorf("the key for digests has %d bytes: give it at least %d, made at random", len(secret), MinKeyBytes)
	}
	secret = bytes.Clone(secret)
	k := Key{hashes: &sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }}}
	// Four bytes tell keys apart, and are too few to learn anything of them.
	k.id = hex.EncodeToString(k.sum("id", nil)[:4])
	return k, nil
}

// RandomKey is one that nobody else has and that ends with the process.
func RandomKey() (Key, error) {
	secret := make([]byte, sha256.Size)
	if _, err := rand.Read(secret); err != nil {
		return Key{}, errors.New("making a key for digests: there is no randomness to be had")
	}
	return NewKey(secret)
}

// ID tells keys apart, "" for none.
func (k Key) ID() string { return k.id }

// The prefixes of digests say what is digested.
const (
	// prefixJudged: the SHA-256 of the judged arguments, as the answer has it in
	// argumentsDigest.
	prefixJudged = "hmac-sha256:"
	// prefixText: the text of arguments that were not judged, or of attributes.
	prefixText = "hmac-sha256-text:"
)

// judged is the digest of arguments that have been judged; answer is the one that the
// caller was given.
func (k Key) judged(answer string) string { return k.digest(prefixJudged, []byte(answer)) }

// text is the digest of a text.
func (k Key) text(text []byte) string { return k.digest(prefixText, text) }

func (k Key) digest(prefix string, of []byte) string {
	if k.hashes == nil {
		return ""
	}
	return prefix + hex.EncodeToString(k.sum(prefix, of))
}

// sum keeps what is digested for one purpose apart from all others.
func (k Key) sum(purpose string, of []byte) []byte {
	h, isHash := k.hashes.Get().(hash.Hash)
	if !isHash {
		return nil
	}
	defer k.hashes.Put(h)
	h.Reset()
	h.Write([]byte(purpose))
	h.Write([]byte{0})
	h.Write(of)
	return h.Sum(nil)
}
