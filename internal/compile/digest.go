package compile

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// namespaceDigest hashes everything in a namespace that decides a verdict. Fields
// are length-prefixed, so that no two sets share an encoding.
func namespaceDigest(g *group, ns *Namespace) (digest [sha256.Size]byte) {
	h := sha256.New()
	writeCount(h, len(g.schemas))
	for _, s := range g.schemas {
		memo := ns.memos[s.Name]
		writeField(h, s.Name)
		writeField(h, string(s.EffectiveToolName()))
		writeField(h, memo.hash)
		writeField(h, strconv.FormatBool(memo.judge != nil))
		writeLabels(h, s.Labels)
	}
	writeCount(h, len(g.policies))
	for i, p := range g.policies {
		writePolicy(h, p)
		writeFacts(h, p, ns.Policies[i])
	}
	writeAdapters(h, g)
	h.Sum(digest[:0])
	return digest
}

func writePolicy(h hash.Hash, p *callgatev1alpha1.ToolPolicy) {
	writeField(h, p.Name)
	writeSet(h, p.Spec.Subjects.ServiceAccountNames)
	writeSet(h, p.Spec.DeclaredTools)
	writeField(h, string(p.Spec.UndeclaredTools))
	writeField(h, string(p.Spec.UnvalidatedCalls))
	writeSet(h, p.Spec.ValidationActions)
	writeField(h, string(disclosure(p.Spec.Disclosure)))
	writeSemantic(h, semantic(&p.Spec.SemanticValidation))
	if p.Spec.SchemaSelector == nil {
		writeField(h, "")
		return
	}
	// The formatted selector is sorted; one that cannot be used is told apart by
	// its error.
	if selector, err := metav1.LabelSelectorAsSelector(p.Spec.SchemaSelector); err != nil {
		writeField(h, "!"+err.Error())
	} else {
		writeField(h, "="+selector.String())
	}
}

// writeFacts writes what the last stage decides by. Two spellings of one meaning, such
// as an absent default, are one revision.
func writeFacts(h hash.Hash, p *callgatev1alpha1.ToolPolicy, c *Policy) {
	writeField(h, strconv.FormatBool(c.RBAC))
	writeField(h, string(c.Tenant.From))
	writeField(h, c.Tenant.Value)
	writeField(h, strconv.FormatBool(c.AuditArguments))
	writeField(h, strconv.FormatBool(p.Spec.FailurePolicy == callgatev1alpha1.FailurePolicyIgnore))
	rules := slices.SortedFunc(slices.Values(p.Spec.Rules), func(a, b callgatev1alpha1.PolicyRule) int { return strings.Compare(a.Name, b.Name) })
	writeCount(h, len(rules))
	for i := range rules {
		r := &rules[i]
		writeSet(h, r.Tools)
		reason := strconv.FormatBool(r.Reason == callgatev1alpha1.RuleInvalidArguments)
		for _, field := range []string{r.Name, r.Expression, r.Message, r.MessageExpression, reason} {
			writeField(h, field)
		}
	}
}

func writeSemantic(h hash.Hash, s *Semantic) {
	if s == nil {
		writeCount(h, 0)
		return
	}
	writeCount(h, 1)
	for _, field := range []string{s.Endpoint, s.Model, s.SecretName, s.SecretKey, string(s.CABundle), strconv.Itoa(int(s.TimeoutMilliseconds))} {
		writeField(h, field)
	}
}

func writeSet[T ~string](h hash.Hash, set []T) {
	sorted := slices.Sorted(slices.Values(set))
	writeCount(h, len(sorted))
	for _, s := range sorted {
		writeField(h, string(s))
	}
}

func writeLabels(h hash.Hash, set map[string]string) {
	keys := make(map[string]struct{}, len(set))
	for key := range set {
		keys[key] = struct{}{}
	}
	writeCount(h, len(keys))
	for _, key := range sortedKeys(keys) {
		writeField(h, key)
		writeField(h, set[key])
	}
}

func writeField(h hash.Hash, s string) {
	writeCount(h, len(s))
	h.Write([]byte(s))
}

func writeCount(h hash.Hash, n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)) //nolint:gosec // a length is never negative
	h.Write(b[:])
}
