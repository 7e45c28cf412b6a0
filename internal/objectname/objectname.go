// Package objectname makes names of Kubernetes objects from names of tools.
package objectname

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxLength is that of a DNS label, so that the name may also be a label's value.
const maxLength = 63

// Names are the names that are taken. The zero value has none.
type Names struct{ taken map[string]string }

// For is the object's name for a text: lower case, with a dash for whatever a DNS label
// cannot hold. The same texts in the same order always have the same names. A text that
// would have another's name, or one that is too long, has a part of its hash at the end;
// other then is whose name it would have been, or "". fallback is the name of a text of
// which nothing is left.
func (n *Names) For(text, fallback string) (name, other string) {
	base := clean(text)
	if base == "" {
		base = fallback
	}
	name = base
	if len(name) > maxLength {
		name = hashed(base, text, hashStep)
	}
	other = n.taken[name]
	// A text may spell another's name with its hash, so that a hash is no escape by itself:
	// the longest one is.
	for digits := hashStep; digits < maxLength; digits += hashStep {
		if _, taken := n.taken[name]; !taken {
			break
		}
		name = hashed(base, text, digits)
	}
	if n.taken == nil {
		n.taken = map[string]string{}
	}
	n.taken[name] = text
	return name, other
}

// hashStep is how many hexadecimal digits of a hash a name has at first, and by how many it
// grows: 4 bytes, which tell the few tools of one server apart.
const hashStep = 8

func hashed(base, text string, digits int) string {
	sum := sha256.Sum256([]byte(text))
	suffix := "-" + hex.EncodeToString(sum[:])[:digits]
	return strings.TrimRight(base[:min(len(base), maxLength-len(suffix))], "-") + suffix
}

func clean(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && s[len(s)-1] != '-' {
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
