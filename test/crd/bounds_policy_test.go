package crd_test

import "fmt"

// named gives n items of a list that is a map by name.
func named(n int, also map[string]any) []any {
	out := make([]any, n)
	for i := range out {
		item := map[string]any{"name": fmt.Sprintf("n%d", i)}
		for k, v := range also {
			item[k] = v
		}
		out[i] = item
	}
	return out
}

// resultBounds are those of what of a result may leave.
func resultBounds() []bound {
	const fields = "spec.result.fields"
	return []bound{
		{path: fields, bound: "required", beyond: list(nil), message: fields + ": Required value", from: map[string]any{"result": map[string]any{}}},
		{path: fields, bound: "minItems", within: list(list("/a")), beyond: list(list()), message: tooFew},
		{path: fields, bound: "maxItems", within: list(pointers(128)), beyond: list(pointers(129)), message: fmt.Sprintf(tooMany, 129, 128)},
		{path: fields, bound: "set", within: list(list("/a", "/A")), beyond: list(list("/a", "/b", "/a")), message: duplicate},
		{path: fields + "[]", bound: "minLength", within: list("/"), beyond: list(""), message: tooShort},
		{path: fields + "[]", bound: "maxLength", within: list("/" + repeat("é", 511)), beyond: list("/" + repeat("a", 512)), message: fmt.Sprintf(tooLong, 512)},
		{path: fields + "[]", bound: "pattern", within: list("/", "/a", "/a/b", "/a~1b/c~0d", "/0", "/名前", "//", "/a b"),
			beyond: list("a", "a/b", "#/a", "$.a", "/a~", "/a~2", "/a\nb", "/\x00", "/a\u0085"), message: mismatch},
	}
}

func pointers(n int) []any {
	out := names(n)
	for i := range out {
		out[i] = "/" + out[i].(string)
	}
	return out
}

// settingBounds are those of a ToolPolicy's settings of one word.
func settingBounds() []bound {
	const label = "spec.tenant.label"
	byLabel := policyWith(map[string]any{"tenant": map[string]any{"from": "NamespaceLabel", "label": "tenant"}})
	return []bound{
		{path: "spec.failurePolicy", bound: "enum", within: list("Fail", "Ignore"), beyond: list("", "fail", "Allow"), message: notOneOf},
		{path: "spec.authorization.mode", bound: "enum", within: list("None", "RBAC"), beyond: list("", "rbac", "Webhook"), message: notOneOf},
		{path: "spec.tenant.from", bound: "enum", within: list("Namespace", "Context"), beyond: list("", "context", "Arguments"), message: notOneOf},
		{path: label, bound: "minLength", within: list("a"), beyond: list(""), message: tooShort, from: byLabel},
		{path: label, bound: "maxLength", within: list(longestLabel), beyond: list(longestLabel + "a"), message: fmt.Sprintf(tooLong, 317), from: byLabel},
		{path: "spec.disclosure", bound: "enum", within: list("Full", "Code", "Opaque"), beyond: list("", "full", "None"), message: notOneOf},
		{path: "spec.failurePolicy", bound: "enum", within: list("Fail", "Ignore"), beyond: list("", "fail", "Open"), message: notOneOf},
		{path: "spec.audit.arguments", bound: "enum", within: list("Digest", "Full"), beyond: list("", "full", "None"), message: notOneOf},
	}
}

// longestLabel is a label key as long as one can be.
var longestLabel = repeat(repeat("a", 62)+".", 4)[:251] + "ab/" + repeat("b", 63)

// ruleBounds are those of a ToolPolicy's rules.
func ruleBounds() []bound {
	const rules = "spec.rules"
	rule := map[string]any{"name": "r", "expression": "true"}
	unnamed := map[string]any{"expression": "true"}
	twice := append(named(1, unnamed), named(1, unnamed)...)
	b := []bound{
		{path: rules, bound: "minItems", within: list(named(1, unnamed)), beyond: list(list()), message: tooFew},
		{path: rules, bound: "maxItems", within: list(named(64, unnamed)), beyond: list(named(65, unnamed)), message: fmt.Sprintf(tooMany, 65, 64)},
		{path: rules, bound: "map", within: list(named(2, unnamed)), beyond: list(twice), message: duplicate},
		{path: rules + "[].name", bound: "required", within: list("r"), beyond: list(nil), message: "spec.rules[0].name: Required value", also: unnamed},
		{path: rules + "[].name", bound: "minLength", within: list("r"), beyond: list(""), message: tooShort, also: unnamed},
		{path: rules + "[].name", bound: "maxLength", within: list(repeat("a", 63)), beyond: list(repeat("a", 64)), message: fmt.Sprintf(tooLong, 63), also: unnamed},
		{path: rules + "[].name", bound: "pattern", within: list("a-b", "0", "a--b"), beyond: list("A", "a_b", "a.b", "-a", "a-", "a b", "é", "a\n"), message: mismatch, also: unnamed},
		{path: rules + "[].expression", bound: "required", within: list("true"), beyond: list(nil), message: "spec.rules[0].expression: Required value", also: map[string]any{"name": "r"}},
		{path: rules + "[].expression", bound: "minLength", within: list("x"), beyond: list(""), message: tooShort, also: rule},
		{path: rules + "[].expression", bound: "maxLength", within: list(repeat("é", 4096)), beyond: list(repeat("a", 4097)), message: fmt.Sprintf(tooLong, 4096), also: rule},
		{path: rules + "[].message", bound: "minLength", within: list("m"), beyond: list(""), message: tooShort, also: rule},
		{path: rules + "[].message", bound: "maxLength", within: list(repeat("é", 1024)), beyond: list(repeat("a", 1025)), message: fmt.Sprintf(tooLong, 1024), also: rule},
		{path: rules + "[].message", bound: "pattern", within: list("At most 100 €."), beyond: controlNames, message: mismatch, also: rule},
		{path: rules + "[].messageExpression", bound: "minLength", within: list("x"), beyond: list(""), message: tooShort, also: rule},
		{path: rules + "[].messageExpression", bound: "maxLength", within: list(repeat("é", 4096)), beyond: list(repeat("a", 4097)), message: fmt.Sprintf(tooLong, 4096), also: rule},
		{path: rules + "[].reason", bound: "enum", within: list("Forbidden", "InvalidArguments"), beyond: list("", "forbidden", "Unauthorized"), message: notOneOf, also: rule},
	}
	const tools = rules + "[].tools"
	return append(b, []bound{
		{path: tools, bound: "minItems", within: list(names(1)), beyond: list(list()), message: tooFew, also: rule},
		{path: tools, bound: "maxItems", within: list(names(512)), beyond: list(names(513)), message: fmt.Sprintf(tooMany, 513, 512), also: rule},
		{path: tools, bound: "set", within: list(list("a", "A")), beyond: list(list("a", "b", "a")), message: duplicate, also: rule},
		{path: tools + "[]", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort, also: rule},
		{path: tools + "[]", bound: "maxLength", within: list(repeat("é", 192)), beyond: list(repeat("a", 193)), message: fmt.Sprintf(tooLong, 192), also: rule},
		{path: tools + "[]", bound: "pattern", within: list("a/b", "**", "a*"), beyond: controlNames, message: mismatch, also: rule},
	}...)
}

// semanticBounds are those of a ToolPolicy's validator.
func semanticBounds() []bound {
	const k = "spec.semanticValidation."
	asked := policyWith(map[string]any{"semanticValidation": map[string]any{"endpoint": "https://judge.example"}})
	withSecret := policyWith(map[string]any{"semanticValidation": map[string]any{
		"endpoint": "https://judge.example", "secretKeyRef": map[string]any{"name": "judge", "key": "token"},
	}})
	b := []bound{
		{path: k + "endpoint", bound: "required", beyond: list(nil), message: k + "endpoint: Required value"},
		{path: k + "endpoint", bound: "minLength", within: list("https://j"), beyond: list(""), message: tooShort},
		{path: k + "endpoint", bound: "maxLength", within: list("https://j/" + repeat("a", 2038)), beyond: list("https://j/" + repeat("a", 2039)), message: fmt.Sprintf(tooLong, 2048)},
		{path: k + "endpoint", bound: "pattern",
			within: list("https://judge.example/v1/chat/completions", "https://judge.ns.svc:8443", "https://[2001:db8::1]:8443/v1", "https://j/v1?api-version=2026-01-01", "https://j.", "https://j/%20"),
			beyond: list("http://judge.example", "judge.example/v1", "https://", "https:///v1", "https://user:secret@judge.example", "https://user@judge.example", "https://judge.example#x",
				"https://judge.example/a b", "https://judge.example/{x}", "https://judge.example/%2", "ftp://judge.example", "HTTPS://judge.example", "https://judge.example/\n", " https://judge.example", "https://judge.example:port"),
			message: mismatch},
		{path: k + "model", bound: "minLength", within: list("m"), beyond: list(""), message: tooShort, from: asked},
		{path: k + "model", bound: "maxLength", within: list(repeat("é", 256)), beyond: list(repeat("a", 257)), message: fmt.Sprintf(tooLong, 256), from: asked},
		{path: k + "model", bound: "pattern", within: list("org/model:latest"), beyond: controlNames, message: mismatch, from: asked},
	}
	b = append(b, refBounds(k+"secretKeyRef", withSecret)...)
	b = append(b, waitBounds(k, asked)...)
	return append(b, bundleBounds(k, asked)...)
}

// refBounds are those of a reference to one key of a ConfigMap or Secret.
func refBounds(path string, from map[string]any) []bound {
	return []bound{
		{path: path + ".name", bound: "required", beyond: list(nil), message: path + ".name: Required value", from: from},
		{path: path + ".name", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort, from: from},
		{path: path + ".name", bound: "maxLength", within: list(repeat("a", 253)), beyond: list(repeat("a", 254)), message: fmt.Sprintf(tooLong, 253), from: from},
		{path: path + ".name", bound: "pattern", within: list("a-b", "a.b", "0"), beyond: list("A", "a_b", "a/b", "-a", "a..b", "a\n"), message: mismatch, from: from},
		{path: path + ".key", bound: "required", beyond: list(nil), message: path + ".key: Required value", from: from},
		{path: path + ".key", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort, from: from},
		{path: path + ".key", bound: "maxLength", within: list(repeat("a", 253)), beyond: list(repeat("a", 254)), message: fmt.Sprintf(tooLong, 253), from: from},
		{path: path + ".key", bound: "pattern", within: list("a.json", "A_b-c"), beyond: list("a/b", "a b", "é", "a\n"), message: mismatch, from: from},
	}
}

// waitBounds are those of the time for an answer.
func waitBounds(prefix string, from map[string]any) []bound {
	return []bound{
		{path: prefix + "timeoutMilliseconds", bound: "minimum", within: list(int64(100)), beyond: list(int64(99), int64(0), int64(-1)), message: "should be greater than or equal to 100", from: from},
		{path: prefix + "timeoutMilliseconds", bound: "maximum", within: list(int64(30000)), beyond: list(int64(30001)), message: "should be less than or equal to 30000", from: from},
	}
}

// bundleBounds are those of certificates.
func bundleBounds(prefix string, from map[string]any) []bound {
	return []bound{
		{path: prefix + "caBundle", bound: "minLength", within: list("YQ=="), beyond: list(""), message: tooShort, from: from},
		{path: prefix + "caBundle", bound: "maxLength", within: list(repeat("YWFh", 87382)), beyond: list(repeat("YWFh", 87383)), message: fmt.Sprintf(tooLong, 349528), from: from},
		{path: prefix + "caBundle", bound: "format", within: list("YWFh"), beyond: list("-----BEGIN CERTIFICATE-----", "YQ"), message: "must be of type byte", from: from},
	}
}

// policyWith is the smallest spec of a ToolPolicy, and more.
func policyWith(more map[string]any) map[string]any {
	spec := minimalSpec(toolPolicyKind)
	for k, v := range more {
		spec[k] = v
	}
	return spec
}
