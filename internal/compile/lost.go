package compile

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/rawjson"
)

// LostInApplyAnnotation holds, on objects as the cache keeps them, what LostInApply
// found, as a JSON list. It is never written to the API server; a user who sets it
// earns himself a warning and nothing else.
const LostInApplyAnnotation = "internal.callgate.dev/lost-in-apply"

// LastAppliedAnnotation is where kubectl's client-side apply keeps what it was given.
const LastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

const (
	// maxLost is enough to show an author what happened; the rest is the same.
	maxLost = 8
	// maxPointer keeps the annotation below 1 KiB with maxLost pointers.
	maxPointer = 120
)

// LostInApply gives the JSON Pointers, into the schema document, of what the text
// given to kubectl apply has and the stored parameters have not: nulls in objects,
// which client-side apply reads as "delete this key", so that "const: null" becomes no
// assertion at all, and integers that its merge patch rounded to a double.
func LostInApply(lastApplied string, parameters []byte) []string {
	applied, err := rawjson.Parse([]byte(lastApplied), lostLimits)
	if err != nil {
		return nil
	}
	wanted := applied.Get("spec").Get("parameters")
	if wanted == nil {
		return nil
	}
	stored, err := rawjson.Parse(parameters, lostLimits)
	if err != nil {
		return nil
	}
	var lost []string
	findLost(wanted, stored, "", &lost)
	return lost
}

// lostLimits are the schema's own bounds, with room for what surrounds it in the
// object: an annotation is at most 256 KiB.
var lostLimits = rawjson.Limits{MaxDepth: 80, MaxValues: 100_000}

func findLost(wanted, stored *rawjson.Value, at string, lost *[]string) {
	switch {
	case stored == nil || wanted.Kind != stored.Kind || len(*lost) == maxLost:
	case wanted.Kind == rawjson.Number:
		if rounded(string(wanted.Raw), string(stored.Raw)) {
			*lost = append(*lost, bound(at, maxPointer))
		}
	case wanted.Kind == rawjson.Object:
		findLostFields(wanted, stored, at, lost)
	case wanted.Kind == rawjson.Array:
		for i := 0; i < len(wanted.Items) && i < len(stored.Items); i++ {
			findLost(wanted.Items[i], stored.Items[i], at+"/"+strconv.Itoa(i), lost)
		}
	}
}

func findLostFields(wanted, stored *rawjson.Value, at string, lost *[]string) {
	for _, f := range wanted.Fields {
		pointer := at + "/" + rawjson.EscapeToken(f.Key)
		kept := stored.Get(f.Key)
		if f.Value.Kind != rawjson.Null || kept != nil {
			findLost(f.Value, kept, pointer, lost)
		} else if len(*lost) < maxLost {
			*lost = append(*lost, bound(pointer, maxPointer))
		}
	}
}

// rounded reports whether two literals are different numbers that one double stands
// for. Anything else that differs was changed by somebody, not lost on the way.
func rounded(wanted, stored string) bool {
	if wanted == stored {
		return false
	}
	w, wErr := strconv.ParseFloat(wanted, 64)
	s, sErr := strconv.ParseFloat(stored, 64)
	if wErr != nil || sErr != nil || w != s {
		return false
	}
	// Doubles have no more than 309 digits before the point; a literal that is much
	// longer cannot be written out exactly at a bounded cost, and was rounded.
	const longest = 400
	if len(wanted) > longest || len(stored) > longest {
		return true
	}
	exactWanted, ok := new(big.Rat).SetString(wanted)
	exactStored, ok2 := new(big.Rat).SetString(stored)
	return ok && ok2 && exactWanted.Cmp(exactStored) != 0
}

// storageWarnings warns of what an object-valued document does not carry safely through
// kubectl and the API server: numbers that no int64 holds, which are stored as doubles,
// and nulls, which the next client-side apply drops. What was lost on the way here is in
// no field of the object, so the place is named as long as it can be seen.
func storageWarnings(parameters []byte) []callgatev1alpha1.Problem {
	document, err := rawjson.Parse(parameters, lostLimits)
	if err != nil {
		return nil
	}
	w := &storageWalk{}
	w.visit(document, "", "")
	return w.warnings
}

type storageWalk struct{ warnings []callgatev1alpha1.Problem }

func (w *storageWalk) warn(at, key, message string) {
	if len(w.warnings) < maxLost {
		w.warnings = append(w.warnings, newProblem(at, key, message))
	}
}

func (w *storageWalk) visit(v *rawjson.Value, at, key string) {
	if v.Kind == rawjson.Number {
		if f, err := strconv.ParseFloat(string(v.Raw), 64); err != nil || math.Abs(f) >= 1<<63 {
			w.warn(at, key, "the API server stores numbers beyond 64 bits as doubles, so an integer here may have been rounded; write the schema in parametersJSON to keep it exact")
		}
	}
	for _, f := range v.Fields {
		pointer := at + "/" + rawjson.EscapeToken(f.Key)
		switch {
		case f.Key == "default" || f.Key == "example" || f.Key == "examples":
			// Annotations: losing a null in them changes no verdict, and half of all
			// generated schemas have "default": null.
		case f.Value.Kind == rawjson.Null:
			w.warn(pointer, f.Key, nullMessage)
		default:
			w.visit(f.Value, pointer, f.Key)
		}
	}
	for i, item := range v.Items {
		w.visit(item, at+"/"+strconv.Itoa(i), key)
	}
}

const nullMessage = `kubectl apply without --server-side drops this null: write "type": "null" instead of "const": null, or the schema in parametersJSON`

// lostWarnings turns the annotation of a cached object, or the last-applied annotation
// of a complete one, into warnings.
func lostWarnings(s *callgatev1alpha1.ToolSchema) []callgatev1alpha1.Problem {
	if s.Spec.Parameters == nil {
		return nil
	}
	var pointers []string
	if text, ok := s.Annotations[LostInApplyAnnotation]; ok && json.Unmarshal([]byte(text), &pointers) != nil {
		pointers = nil
	}
	if text, ok := s.Annotations[LastAppliedAnnotation]; ok && len(pointers) == 0 {
		pointers = LostInApply(text, s.Spec.Parameters.Raw)
	}
	if len(pointers) == 0 {
		return nil
	}
	stored, err := rawjson.Parse(s.Spec.Parameters.Raw, lostLimits)
	if err != nil {
		return nil
	}
	var warnings []callgatev1alpha1.Problem
	for _, pointer := range pointers[:min(len(pointers), maxLost)] {
		keyword := pointer[strings.LastIndexByte(pointer, '/')+1:]
		message := `kubectl's client-side apply dropped the null that you wrote here: write "type": "null" instead of "const": null, use parametersJSON, or apply with --server-side`
		if stored.At(pointer) != nil {
			message = "kubectl's client-side apply rounded the number that you wrote here to a double: use parametersJSON, or apply with --server-side"
		}
		warnings = append(warnings, newProblem(pointer, keyword, message))
	}
	return warnings
}
