package compile

import (
	"encoding/json"
	"strings"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/rawjson"
)

// LostNullsAnnotation holds, on objects as the cache keeps them, what LostNulls
// found, as a JSON list. It is never written to the API server; a user who sets it
// earns himself a warning and nothing else.
const LostNullsAnnotation = "internal.callgate.dev/lost-nulls"

// LastAppliedAnnotation is where kubectl's client-side apply keeps what it was given.
const LastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

const (
	// maxLostNulls is enough to show an author what happened; the rest is the same.
	maxLostNulls = 8
	// maxPointer keeps the annotation below 1 KiB with maxLostNulls pointers.
	maxPointer = 120
)

// LostNulls gives the JSON Pointers, into the schema document, of members that the
// text given to kubectl apply has as null and the stored parameters lack.
// Client-side apply reads such a null as "delete this key", so that "const: null"
// silently becomes no assertion at all.
func LostNulls(lastApplied string, parameters []byte) []string {
	applied, err := rawjson.Parse([]byte(lastApplied), nullLimits)
	if err != nil {
		return nil
	}
	wanted := field(field(applied, "spec"), "parameters")
	if wanted == nil {
		return nil
	}
	stored, err := rawjson.Parse(parameters, nullLimits)
	if err != nil {
		return nil
	}
	var lost []string
	findLost(wanted, stored, "", &lost)
	return lost
}

// nullLimits are the schema's own bounds, with room for what surrounds it in the
// object: an annotation is at most 256 KiB.
var nullLimits = rawjson.Limits{MaxDepth: 80, MaxValues: 100_000}

func findLost(wanted, stored *rawjson.Value, at string, lost *[]string) {
	if stored == nil || wanted.Kind != stored.Kind {
		return
	}
	for _, f := range wanted.Fields {
		if len(*lost) == maxLostNulls {
			return
		}
		pointer := at + "/" + escapePointer(f.Key)
		kept := field(stored, f.Key)
		if f.Value.Kind == rawjson.Null && kept == nil {
			*lost = append(*lost, bound(pointer, maxPointer))
			continue
		}
		findLost(f.Value, kept, pointer, lost)
	}
	for i := 0; i < len(wanted.Items) && i < len(stored.Items); i++ {
		findLost(wanted.Items[i], stored.Items[i], at+"/"+itoa(i), lost)
	}
}

func field(v *rawjson.Value, key string) *rawjson.Value {
	if v == nil {
		return nil
	}
	for _, f := range v.Fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// lostNullWarnings turns the annotation of a cached object, or the last-applied
// annotation of a complete one, into warnings.
func lostNullWarnings(s *callgatev1alpha1.ToolSchema) []callgatev1alpha1.Problem {
	var pointers []string
	if text, ok := s.Annotations[LostNullsAnnotation]; ok && json.Unmarshal([]byte(text), &pointers) != nil {
		pointers = nil
	}
	if text, ok := s.Annotations[LastAppliedAnnotation]; ok && len(pointers) == 0 && s.Spec.Parameters != nil {
		pointers = LostNulls(text, s.Spec.Parameters.Raw)
	}
	var warnings []callgatev1alpha1.Problem
	for i, pointer := range pointers {
		if i == maxLostNulls {
			break
		}
		keyword := pointer[strings.LastIndexByte(pointer, '/')+1:]
		warnings = append(warnings, newProblem(pointer, keyword,
			`kubectl's client-side apply dropped the null that you wrote here: write "type": "null" instead of "const": null, use parametersJSON, or apply with --server-side`))
	}
	return warnings
}
