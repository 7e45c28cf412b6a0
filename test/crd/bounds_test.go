package crd_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/callgate/callgate/config/crd"
)

// bound is one bound of one field: values at the limit, which are taken, and beyond
// it, which are refused with the message.
type bound struct {
	kind schema.GroupVersionKind
	// path is the field's, with [] for the items of a list.
	path, bound string
	within      []any
	beyond      []any
	message     string
	// also makes the rest of a list's item fit.
	also map[string]any
	// from is a spec to start from in place of the smallest one.
	from map[string]any
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }

// names gives n different names.
func names(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = fmt.Sprintf("n%d", i)
	}
	return out
}

// problems gives n problems.
func problems(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = map[string]any{"path": "", "message": "m"}
	}
	return out
}

func conditions(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = map[string]any{
			"type": fmt.Sprintf("Type%d", i), "status": "True", "reason": "Reason", "message": "",
			"lastTransitionTime": "2026-01-01T00:00:00Z",
		}
	}
	return out
}

// list is never nil: a nil list is a null, which is another thing.
func list(v ...any) []any { return append([]any{}, v...) }

const (
	tooLong   = "Too long: may not be more than %d "
	tooShort  = "should be at least 1 chars long"
	mismatch  = "should match"
	notOneOf  = "Unsupported value"
	tooMany   = "Too many: %d: must have at most %d items"
	tooFew    = "should have at least 1 items"
	duplicate = "Duplicate value"
)

// controlNames break a rule that keeps what is invisible out of names.
var controlNames = list("a\nb", "\x00", "a\x7f", "a\u0085b", "tab\t")

// schemaBounds are those of ToolSchema.
func schemaBounds() []bound {
	const k = "spec.arguments."
	b := []bound{
		{path: "spec.toolName", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort},
		{path: "spec.toolName", bound: "maxLength", within: list(repeat("a", 128), repeat("é", 128)), beyond: list(repeat("a", 129), repeat("é", 129)), message: fmt.Sprintf(tooLong, 128)},
		{path: "spec.toolName", bound: "pattern", within: list("a b", "Ünï", "名前", "a/b", " "), beyond: controlNames, message: mismatch},
		{path: "spec.server", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort},
		{path: "spec.server", bound: "maxLength", within: list(repeat("a", 63)), beyond: list(repeat("a", 64)), message: fmt.Sprintf(tooLong, 63)},
		{path: "spec.server", bound: "pattern", within: list("Az09._-"), beyond: list("a/b", "a b", "é", "a\n"), message: mismatch},
		{path: "spec.description", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort},
		{path: "spec.description", bound: "maxLength", within: list(repeat("é", 4096)), beyond: list(repeat("a", 4097)), message: fmt.Sprintf(tooLong, 4096)},
		{path: "spec.parameters", bound: "type", within: list(map[string]any{}, map[string]any{"anything": list(nil, int64(1))}),
			beyond: list("text", list(), true, int64(1)), message: "must be of type object"},
		{path: "spec.parametersJSON", bound: "minLength", within: list("x"), beyond: list(""), message: tooShort},
		{path: "spec.parametersJSON", bound: "maxLength", within: list(repeat("x", 196608)), beyond: list(repeat("x", 196609)), message: fmt.Sprintf(tooLong, 196608)},
		{path: "spec.dialect", bound: "enum", within: list("Draft7", "Draft2020-12"), beyond: list("", "draft7", "Draft4", "Draft2019-09"), message: notOneOf},
		{path: k + "undeclared", bound: "enum", within: list("Reject", "RejectNested", "FollowSchema"), beyond: list("", "reject", "Allow"), message: notOneOf},
		{path: k + "integers", bound: "enum", within: list("Lexical", "Value"), beyond: list("", "value"), message: notOneOf},
		{path: k + "nulls", bound: "enum", within: list("Strict", "Absent"), beyond: list("", "absent"), message: notOneOf},
		{path: k + "formats", bound: "enum", within: list("Assert", "Annotate"), beyond: list("", "Ignore"), message: notOneOf},
		{path: "status.toolName", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort},
		{path: "status.toolName", bound: "maxLength", within: list(repeat("é", 192)), beyond: list(repeat("a", 193)), message: fmt.Sprintf(tooLong, 192)},
		{path: "status.toolName", bound: "pattern", within: list("a/b"), beyond: controlNames, message: mismatch},
		{path: "status.dialect", bound: "minLength", within: list("D"), beyond: list(""), message: tooShort},
		{path: "status.dialect", bound: "maxLength", within: list(repeat("D", 32)), beyond: list(repeat("D", 33)), message: fmt.Sprintf(tooLong, 32)},
		{path: "status.schemaHash", bound: "minLength", within: list("s"), beyond: list(""), message: tooShort},
		{path: "status.schemaHash", bound: "maxLength", within: list("sha256:" + repeat("0", 64)), beyond: list("sha256:" + repeat("0", 65)), message: fmt.Sprintf(tooLong, 71)},
	}
	b = append(b, resultBounds()...)
	return ofKind(toolSchemaKind, append(b, statusBounds()...))
}

func ofKind(kind schema.GroupVersionKind, bounds []bound) []bound {
	for i := range bounds {
		bounds[i].kind = kind
	}
	return bounds
}

// policyBounds are those of ToolPolicy.
func policyBounds() []bound {
	const (
		accounts = "spec.subjects.serviceAccountNames"
		tools    = "spec.declaredTools"
		actions  = "spec.validationActions"
		invalid  = "status.invalidSchemas"
	)
	b := []bound{
		{path: accounts, bound: "minItems", within: list(names(1)), beyond: list(list()), message: tooFew},
		{path: accounts, bound: "maxItems", within: list(names(512)), beyond: list(names(513)), message: fmt.Sprintf(tooMany, 513, 512)},
		{path: accounts, bound: "set", within: list(list("a", "b")), beyond: list(list("a", "b", "a")), message: duplicate},
		{path: accounts + "[]", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort},
		{path: accounts + "[]", bound: "maxLength", within: list(repeat("a", 253)), beyond: list(repeat("a", 254)), message: fmt.Sprintf(tooLong, 253)},
		{path: accounts + "[]", bound: "pattern", within: list("*", "a-b", "a.b", "0"), beyond: list("**", "a*", "A", "a_b", "-a", "a-", "a..b", "system:serviceaccount:a:b", "a\n"), message: mismatch},
		{path: tools, bound: "minItems", within: list(names(1)), beyond: list(list()), message: tooFew},
		{path: tools, bound: "maxItems", within: list(names(512)), beyond: list(names(513)), message: fmt.Sprintf(tooMany, 513, 512)},
		{path: tools, bound: "set", within: list(list("a", "A", "\u00e1", "a\u0301")), beyond: list(list("a", "b", "a")), message: duplicate},
		{path: tools + "[]", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort},
		{path: tools + "[]", bound: "maxLength", within: list(repeat("é", 192)), beyond: list(repeat("a", 193)), message: fmt.Sprintf(tooLong, 192)},
		{path: tools + "[]", bound: "pattern", within: list("*", "a/b", "**", "a*"), beyond: controlNames, message: mismatch},
		{path: "spec.undeclaredTools", bound: "enum", within: list("Block", "Allow"), beyond: list("", "allow", "Deny"), message: notOneOf},
		{path: "spec.unvalidatedCalls", bound: "enum", within: list("Block", "Allow"), beyond: list("", "allow", "Deny"), message: notOneOf},
		{path: actions, bound: "minItems", within: list(list("Audit")), beyond: list(list()), message: tooFew},
		{path: actions, bound: "maxItems", within: list(list("Warn", "Audit")), beyond: list(list("Deny", "Warn", "Audit")), message: fmt.Sprintf(tooMany, 3, 2)},
		{path: actions, bound: "set", within: list(list("Deny", "Audit")), beyond: list(list("Audit", "Audit")), message: duplicate},
		{path: actions + "[]", bound: "enum", within: list("Deny", "Warn", "Audit"), beyond: list("", "deny", "Allow"), message: notOneOf},
		{path: "status.counts.toolsWithoutSchema", bound: "minimum", within: list(int64(0)), beyond: list(int64(-1)), message: "should be greater than or equal to 0"},
		{path: "status.counts.declaredTools", bound: "minimum", within: list(int64(0)), beyond: list(int64(-1)), message: "should be greater than or equal to 0"},
		{path: "status.counts.selectedSchemas", bound: "minimum", within: list(int64(0)), beyond: list(int64(-1)), message: "should be greater than or equal to 0"},
		{path: "status.counts.invalidSchemas", bound: "minimum", within: list(int64(0)), beyond: list(int64(-1)), message: "should be greater than or equal to 0"},
		{path: invalid, bound: "maxItems", within: list(names(64)), beyond: list(names(65)), message: fmt.Sprintf(tooMany, 65, 64)},
		{path: invalid, bound: "set", within: list(names(2)), beyond: list(list("a", "a")), message: duplicate},
		{path: invalid + "[]", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort},
		{path: invalid + "[]", bound: "maxLength", within: list(repeat("é", 192)), beyond: list(repeat("a", 193)), message: fmt.Sprintf(tooLong, 192)},
		{path: invalid + "[]", bound: "pattern", within: list("a/b"), beyond: controlNames, message: mismatch},
	}
	b = append(b, settingBounds()...)
	b = append(b, ruleBounds()...)
	b = append(b, semanticBounds()...)
	return ofKind(toolPolicyKind, append(b, statusBounds()...))
}

// statusBounds are those that every kind has.
func statusBounds() []bound {
	b := []bound{
		{path: "status.conditions", bound: "maxItems", within: list(conditions(8)), beyond: list(conditions(9)), message: fmt.Sprintf(tooMany, 9, 8)},
		{path: "status.conditions", bound: "map", within: list(conditions(2)), beyond: list(append(conditions(1), conditions(1)...)), message: duplicate},
		{path: "status.observedGeneration", bound: "minimum", within: list(int64(0)), beyond: list(int64(-1)), message: "should be greater than or equal to 0"},
	}
	for _, field := range []string{"status.problems", "status.warnings"} {
		message := map[string]any{"message": "m"}
		path := map[string]any{"path": ""}
		b = append(b,
			bound{path: field, bound: "maxItems", within: list(problems(32)), beyond: list(problems(33)), message: fmt.Sprintf(tooMany, 33, 32)},
			bound{path: field + "[].path", bound: "required", within: list(""), beyond: list(nil), message: "Required value", also: message},
			bound{path: field + "[].path", bound: "maxLength", within: list(repeat("é", 512)), beyond: list(repeat("a", 513)), message: fmt.Sprintf(tooLong, 512), also: message},
			bound{path: field + "[].keyword", bound: "minLength", within: list("k"), beyond: list(""), message: tooShort, also: map[string]any{"message": "m", "path": ""}},
			bound{path: field + "[].keyword", bound: "maxLength", within: list(repeat("k", 128)), beyond: list(repeat("k", 129)), message: fmt.Sprintf(tooLong, 128), also: map[string]any{"message": "m", "path": ""}},
			bound{path: field + "[].message", bound: "required", within: list("m"), beyond: list(nil), message: "Required value", also: path},
			bound{path: field + "[].message", bound: "minLength", within: list("m"), beyond: list(""), message: tooShort, also: path},
			bound{path: field + "[].message", bound: "maxLength", within: list(repeat("é", 512)), beyond: list(repeat("m", 513)), message: fmt.Sprintf(tooLong, 512), also: path},
		)
	}
	return b
}

// requiredBounds are fields without which an object is refused.
func requiredBounds() []bound {
	return []bound{
		{kind: toolSchemaKind, path: "spec", bound: "required", beyond: list(nil), message: "spec: Required value"},
		{kind: toolAdapterKind, path: "spec", bound: "required", beyond: list(nil), message: "spec: Required value"},
		{kind: toolPolicyKind, path: "spec", bound: "required", beyond: list(nil), message: "spec: Required value"},
		{kind: toolPolicyKind, path: "spec.subjects", bound: "required", beyond: list(nil), message: "spec.subjects: Required value"},
		{kind: toolPolicyKind, path: "spec.subjects.serviceAccountNames", bound: "required", beyond: list(nil), message: "spec.subjects.serviceAccountNames: Required value"},
		{kind: toolPolicyKind, path: "spec.declaredTools", bound: "required", beyond: list(nil), message: "spec.declaredTools: Required value"},
	}
}

func allBounds() []bound {
	return slices.Concat(schemaBounds(), policyBounds(), adapterBounds(), requiredBounds())
}

// place puts a value at the path of a bound; nil removes what is there.
func place(o *unstructured.Unstructured, b bound, value any) {
	if b.from != nil {
		o.Object["spec"] = runtime.DeepCopyJSON(b.from)
	}
	put(o.Object, strings.Split(b.path, "."), value, b.also)
}

func put(fields map[string]any, path []string, value any, also map[string]any) {
	name, isItem := strings.CutSuffix(path[0], "[]")
	switch {
	case len(path) == 1 && isItem:
		fields[name] = list(value)
	case len(path) == 1 && value == nil:
		delete(fields, name)
	case len(path) == 1:
		fields[name] = value
	case isItem:
		item := runtime.DeepCopyJSON(also)
		if item == nil {
			item = map[string]any{}
		}
		fields[name] = list(item)
		put(item, path[1:], value, also)
	default:
		inner, ok := fields[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			fields[name] = inner
		}
		put(inner, path[1:], value, also)
	}
}

func (b bound) ofStatus() bool { return strings.HasPrefix(b.path, "status.") }

// write asks the API server, and for what files can hold whoever reads files too, what
// they say to an object of the bound's kind that has the value at the bound's path.
func write(ctx context.Context, namespace string, b bound, value any) error {
	o := minimal(b.kind, namespace)
	if !b.ofStatus() {
		place(o, b, value)
		return both(ctx, o)
	}
	Expect(env.Client.Create(ctx, o)).To(Succeed())
	place(o, b, value)
	return env.Client.Status().Update(ctx, o, client.DryRunAll)
}

var _ = Describe("Bounds", func() {
	for _, b := range allBounds() {
		It(fmt.Sprintf("of %s %s: %s", b.kind.Kind, b.path, b.bound), func(ctx context.Context) {
			namespace := env.Namespace(ctx, GinkgoT())
			for _, v := range b.within {
				Expect(write(ctx, namespace, b, v)).To(Succeed(), "at the limit: %.40q", fmt.Sprint(v))
			}
			for _, v := range b.beyond {
				err := write(ctx, namespace, b, v)
				Expect(err).To(MatchError(ContainSubstring(b.message)), "beyond the limit: %.40q", fmt.Sprint(v))
				field, _, _ := strings.Cut(b.path, "[]")
				Expect(err).To(MatchError(ContainSubstring(field)), "the message names the field")
			}
		})
	}

	It("are all covered here", func() {
		tested := map[string]bool{}
		for _, b := range allBounds() {
			tested[b.kind.Kind+" "+b.path+" "+b.bound] = true
		}
		var missing []string
		for kind, root := range schemas() {
			for _, bound := range boundsOf(root, "") {
				if !tested[kind+" "+bound] {
					missing = append(missing, kind+" "+bound)
				}
			}
		}
		Expect(missing).To(BeEmpty())
	})
})

// schemas reads the generated definitions, by kind.
func schemas() map[string]*apiextensionsv1.JSONSchemaProps {
	GinkgoHelper()
	files, err := fs.Glob(crd.FS(), "*.yaml")
	Expect(err).NotTo(HaveOccurred())
	out := map[string]*apiextensionsv1.JSONSchemaProps{}
	for _, file := range files {
		text, err := fs.ReadFile(crd.FS(), file)
		Expect(err).NotTo(HaveOccurred())
		var def apiextensionsv1.CustomResourceDefinition
		Expect(yaml.UnmarshalStrict(text, &def)).To(Succeed())
		out[def.Spec.Names.Kind] = def.Spec.Versions[0].Schema.OpenAPIV3Schema
	}
	return out
}

// foreign are subtrees whose bounds are those of Kubernetes' own types.
func foreign(path string) bool {
	return path == "metadata" || path == "spec.schemaSelector" || path == "status.conditions[]"
}

// boundsOf lists what a schema demands, as "path bound". A bound that excludes
// nothing (a minimum length of 0) is none.
func boundsOf(s *apiextensionsv1.JSONSchemaProps, path string) []string {
	if foreign(path) {
		return nil
	}
	var out []string
	add := func(present bool, bound string) {
		if present {
			out = append(out, path+" "+bound)
		}
	}
	positive := func(n *int64) bool { return n != nil && *n > 0 }
	add(positive(s.MinLength), "minLength")
	add(s.MaxLength != nil, "maxLength")
	add(s.Pattern != "", "pattern")
	add(positive(s.MinItems), "minItems")
	add(s.MaxItems != nil, "maxItems")
	add(positive(s.MinProperties), "minProperties")
	add(s.MaxProperties != nil, "maxProperties")
	add(s.Minimum != nil, "minimum")
	add(s.Maximum != nil, "maximum")
	add(len(s.Enum) > 0, "enum")
	add(s.Format == "byte", "format")
	add(s.XPreserveUnknownFields != nil, "type")
	if s.XListType != nil && *s.XListType != "atomic" {
		add(true, *s.XListType)
	}
	child := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	for _, name := range s.Required {
		out = append(out, child(name)+" required")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		out = append(out, boundsOf(&p, child(name))...)
	}
	if s.Items != nil {
		out = append(out, boundsOf(s.Items.Schema, path+"[]")...)
	}
	return out
}
