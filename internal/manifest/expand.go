package manifest

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/rawjson"
)

// maxListDepth bounds lists of lists.
const maxListDepth = 4

// expand finds the objects of a document: itself, or the items of a list.
func (l *loader) expand(d document, depth int) {
	obj, ok := d.content.(map[string]any)
	if !ok {
		l.refuse(RuleNotAnObject, d, "", "a Kubernetes object is wanted here, with apiVersion, kind and metadata")
		return
	}
	apiVersion, kind, ok := l.typeOf(d, obj)
	if !ok {
		return
	}
	if item, ok := listOf(apiVersion, kind); ok {
		l.expandList(d, obj, apiVersion, item, depth)
		return
	}
	switch {
	case slices.Contains(builtinKinds[apiVersion], kind):
		l.store(d, kind, obj, admitBuiltin)
	case apiVersion == callgatev1alpha1.GroupVersion.String():
		l.admit(d, kind, obj)
	case strings.HasPrefix(apiVersion, callgatev1alpha1.GroupVersion.Group+"/"):
		l.refuse(RuleUnknownKind, d, "/apiVersion", fmt.Sprintf("%q is not served: this version of callgate has %s", apiVersion, callgatev1alpha1.GroupVersion))
	case apiVersion == "v1" && kind == "ServiceAccount":
		key := l.keyOf(kind, obj)
		l.set.ServiceAccounts = append(l.set.ServiceAccounts, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
	default:
		l.note(d, fmt.Sprintf("passed over: %s %s decides nothing here", apiVersion, kind))
	}
}

// typeOf reads apiVersion and kind, both of which every object must have.
func (l *loader) typeOf(d document, obj map[string]any) (apiVersion, kind string, ok bool) {
	ok = true
	for _, f := range []struct {
		name string
		into *string
	}{{"apiVersion", &apiVersion}, {"kind", &kind}} {
		s, _ := obj[f.name].(string)
		if s == "" {
			l.refuse(RuleNotAnObject, d, "/"+f.name, f.name+" is not set to a string: every document must be a Kubernetes object (name the files if a directory holds others too)")
			ok = false
		}
		*f.into = s
	}
	return apiVersion, kind, ok
}

// expandList reads the items of a list. item is the kind of those that do not say
// theirs, or "".
func (l *loader) expandList(d document, list map[string]any, apiVersion, item string, depth int) {
	if depth >= maxListDepth {
		l.refuse(RuleTooLarge, d, "", fmt.Sprintf("lists nest deeper than %d", maxListDepth))
		return
	}
	items, ok := list["items"].([]any)
	if !ok && list["items"] != nil {
		l.refuse(RuleWrongType, d, "/items", "items must be a list of objects")
	}
	for key := range list {
		if key != "items" && key != "metadata" && key != "apiVersion" && key != "kind" {
			l.refuse(RuleUnknownField, d, rawjson.AppendToken("", key), "unknown field: a list has apiVersion, kind, metadata and items")
		}
	}
	for i, content := range items {
		base := fmt.Sprintf("/items/%d", i)
		l.expand(document{
			file: d.file, content: typed(content, apiVersion, item), at: d.at.pointer(base), warnings: d.warnings, base: d.base + base,
		}, depth+1)
	}
}

// typed gives an item of a typed list the type that the list implies. The API
// server leaves it out of the items of a ToolSchemaList.
func typed(content any, apiVersion, kind string) any {
	obj, ok := content.(map[string]any)
	if !ok || kind == "" || obj["apiVersion"] != nil || obj["kind"] != nil {
		return content
	}
	obj["apiVersion"], obj["kind"] = apiVersion, kind
	return obj
}
