package jsonschema

import (
	"slices"
	"testing"
)

func TestDeclaredKeys(t *testing.T) {
	c := mustCompile(t, `{"properties":{"city":{},"a/b":{"properties":{"x":{}}},"no":false,
		"list":{"items":{"$ref":"#/definitions/item"}},"map":{"additionalProperties":{"properties":{"v":{}}}}},
		"anyOf":[{"properties":{"one":{}}},{"properties":{"two":{}},"not":{"properties":{"never":{}}}}],
		"definitions":{"item":{"allOf":[{"properties":{"sku":{}}}],"properties":{"next":{"$ref":"#/definitions/item"}}}}}`, Options{})
	for pointer, want := range map[string][]string{
		"":                    {"a/b", "city", "list", "map", "one", "two"},
		"/a~1b":               {"x"},
		"/list/7":             {"next", "sku"},
		"/list/0/next/next":   {"next", "sku"},
		"/map/any":            {"v"},
		"/nowhere/to/be/seen": nil,
		"/list/x":             nil,
	} {
		if got := c.DeclaredKeys(pointer); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", pointer, got, want)
		}
	}
}
