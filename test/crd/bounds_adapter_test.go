package crd_test

import "fmt"

// adapterBounds are those of ToolAdapter.
func adapterBounds() []bound {
	const k = "spec."
	b := []bound{
		{path: k + "toolName", bound: "required", beyond: list(nil), message: k + "toolName: Required value"},
		{path: k + "toolName", bound: "minLength", within: list("a"), beyond: list(""), message: tooShort},
		{path: k + "toolName", bound: "maxLength", within: list(repeat("é", 192)), beyond: list(repeat("a", 193)), message: fmt.Sprintf(tooLong, 192)},
		{path: k + "toolName", bound: "pattern", within: list("a/b", "名前", "**"), beyond: controlNames, message: mismatch},
		{path: k + "key", bound: "minLength", within: list("x"), beyond: list(""), message: tooShort},
		{path: k + "key", bound: "maxLength", within: list(repeat("é", 4096)), beyond: list(repeat("a", 4097)), message: fmt.Sprintf(tooLong, 4096)},
		{path: k + "tenancy", bound: "enum", within: list("Required", "None"), beyond: list("", "required", "Optional"), message: notOneOf},
		{path: k + "records.configMapKeyRef", bound: "required", beyond: list(nil), message: k + "records.configMapKeyRef: Required value",
			from: map[string]any{"toolName": "get_ticket", "key": "tenant", "records": map[string]any{}}},
	}
	b = append(b, refBounds(k+"records.configMapKeyRef", minimalSpec(toolAdapterKind))...)
	b = append(b, httpBounds()...)
	return ofKind(toolAdapterKind, append(b, statusBounds()...))
}

// asking is the spec of a ToolAdapter that asks a backend.
func asking(more map[string]any) map[string]any {
	source := map[string]any{"url": "https://tickets.ns.svc/{tenant}"}
	for k, v := range more {
		source[k] = v
	}
	return map[string]any{"toolName": "get_ticket", "http": source}
}

func httpBounds() []bound {
	const k = "spec.http."
	from := asking(nil)
	audience := func(n int) string { return "callgate.dev/ns/" + repeat("a", n-16) }
	b := []bound{
		{path: k + "url", bound: "required", beyond: list(nil), message: k + "url: Required value", from: from},
		{path: k + "url", bound: "minLength", within: list("https://h/{tenant}"), beyond: list(""), message: tooShort, from: from},
		{path: k + "url", bound: "maxLength", within: list("https://h/{tenant}/" + repeat("a", 2029)), beyond: list("https://h/{tenant}/" + repeat("a", 2030)), message: fmt.Sprintf(tooLong, 2048), from: from},
		{path: k + "url", bound: "pattern",
			within: list("http://t.ns.svc/{tenant}", "https://t.ns.svc:8443/{tenant}", "https://[2001:db8::1]/{tenant}", "https://h.?t={tenant}"),
			beyond: list("ftp://h/{tenant}", "h/{tenant}", "//h/{tenant}", "https:///{tenant}", "https://user:secret@h/{tenant}", "https://{tenant}/x", "https://{tenant}.example/{tenant}",
				"https://h:port/{tenant}", "HTTPS://h/{tenant}", " https://h/{tenant}"),
			message: mismatch, from: from},
		{path: k + "method", bound: "enum", within: list("GET", "POST", "PUT", "DELETE"), beyond: list("", "get", "PATCH", "CONNECT"), message: notOneOf, from: from},
		{path: k + "maxResponseBytes", bound: "minimum", within: list(int64(1)), beyond: list(int64(0), int64(-1)), message: "should be greater than or equal to 1", from: from},
		{path: k + "maxResponseBytes", bound: "maximum", within: list(int64(4194304)), beyond: list(int64(4194305)), message: "should be less than or equal to 4194304", from: from},
		{path: k + "serviceAccountTokenAudience", bound: "minLength", within: list("callgate.dev/a"), beyond: list(""), message: tooShort, from: from},
		{path: k + "serviceAccountTokenAudience", bound: "maxLength", within: list(audience(253)), beyond: list(audience(254)), message: fmt.Sprintf(tooLong, 253), from: from},
	}
	b = append(b, waitBounds(k, from)...)
	return append(b, bundleBounds(k, from)...)
}
