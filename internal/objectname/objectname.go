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
		name = hashed(base, text)
	}
	if n.taken == nil {
		n.taken = map[string]string{}
	}
	if first, taken := n.taken[name]; taken {
		name, other = hashed(base, text), first
	}
	n.taken[name] = text
	return name, other
}

func hashed(base, text string) string {
	sum := sha256.Sum256([]byte(text))
	suffix := "-" + hex.EncodeToString(sum[:4])
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
