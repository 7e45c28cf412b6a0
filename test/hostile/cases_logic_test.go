package hostile

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/internal/jsonschema"
)

// nestedCall is n objects in each other, with the kind k, and the innermost x.
func nestedCall(n int, kind, inner string) string {
	return strings.Repeat(`{"k":"`+kind+`","c":`, n) + inner + strings.Repeat("}", n)
}

// treeCall is a full binary tree.
func treeCall(levels int, leaf string) string {
	if levels == 0 {
		return leaf
	}
	below := treeCall(levels-1, leaf)
	return `{"k":"a","c":` + below + `,"d":` + below + `}`
}

// tree is a schema with a union of two kinds at every level. told says that the kinds
// are told apart by a constant; otherwise both branches read everything below.
func tree(told bool) string {
	branch := func(kind string) string {
		limit := `{"type":"string"}`
		if told {
			limit = `{"const":"` + kind + `"}`
		}
		return `{"type":"object","properties":{"k":` + limit + `,"c":{"$ref":"#/definitions/n"},"d":{"$ref":"#/definitions/n"}},"required":["k"]}`
	}
	return `{"definitions":{"n":{"anyOf":[{"type":"integer","minimum":0},` + branch("a") + `,` + branch("b") + `]}},"$ref":"#/definitions/n"}`
}

func recursionCases() []hostileCase {
	const atLeaf = "range:c.c.c"
	return []hostileCase{
		{name: "100 unions in each other, told apart, valid", schema: tree(true), calls: []string{nestedCall(100, "b", "1")}},
		{name: "100 unions in each other, told apart, wrong inside", schema: tree(true), calls: []string{nestedCall(100, "b", "-1")}, errors: []string{atLeaf}, count: 1},
		{name: "100 unions in each other, alike, valid", schema: tree(false), calls: []string{nestedCall(100, "b", "1")}},
		{name: "100 unions in each other, alike, wrong inside", schema: tree(false), calls: []string{nestedCall(100, "b", "-1")}, errors: []string{"schema:"}, count: 1},
		{name: "a tree of 16,383 unions, told apart, valid", schema: tree(true), calls: []string{treeCall(13, "1")}},
		{name: "a tree of 16,383 unions, told apart, wrong inside", schema: tree(true), calls: []string{treeCall(13, "-1")}, errors: []string{"range:c."}, count: -1},
		{name: "a tree of 16,383 unions, alike, valid", schema: tree(false), calls: []string{treeCall(13, "1")}},
		{name: "a tree of 16,383 unions, alike, wrong inside", schema: tree(false), calls: []string{treeCall(13, "-1")}, errors: []string{"schema:"}, count: 1},
	}
}

// reportCases have much to report.
func reportCases() []hostileCase {
	long := strings.Repeat("k", 1_000)
	return []hostileCase{
		{name: "90,000 items of the wrong type", schema: property("l", `{"items":{"type":"string"}}`), calls: []string{`{"l":[` + repeat(90_000, ",", the("1")) + `]}`},
			errors: []string{"type:l[0]", "type:l[10000]"}, count: -1},
		{name: "400 long keys", schema: `{"properties":{"a":{}}}`, calls: []string{`{` + repeat(400, ",", func(i int) string { return fmt.Sprintf(`"%s%d":0`, long, i) }) + `}`},
			errors: []string{"unexpected:kkkk"}, count: -1},
		{name: "a long key, 90,000 items below", schema: `{"additionalProperties":{"items":{"type":"string"}}}`,
			calls: []string{`{"` + strings.Repeat("k", 100_000) + `":[` + repeat(90_000, ",", the("1")) + `]}`}, errors: []string{"type:kkkk"}, count: -1},
		{name: "120 levels, wrong at each", schema: `{"definitions":{"n":{"properties":{"c":{"$ref":"#/definitions/n"}},"required":["x"]}},"$ref":"#/definitions/n"}`,
			calls: []string{strings.Repeat(`{"c":`, 120) + `{}` + strings.Repeat(`}`, 120)}, errors: []string{"missing:c.c.c"}, count: 121},
		{name: "20,000 objects that lack 3 properties", schema: property("l", `{"items":{"required":["a","b","c"]}}`), calls: []string{`{"l":[` + repeat(20_000, ",", the("{}")) + `]}`},
			errors: []string{"missing:l[0].a", "missing:l[0].b"}, count: -1},
	}
}

// reviewCases are the 128 calls that one review may hold. What the budget of the review
// does not cover is too costly; that is the answer to the last.
func reviewCases() []hostileCase {
	times := func(call string) []string {
		list := make([]string, 128)
		for i := range list {
			list[i] = call
		}
		return list
	}
	return []hostileCase{
		{name: "128 calls, each a backtracking pattern", schema: property("s", `{"pattern":"^(?=a)(a+)+$"}`), calls: times(`{"s":"` + strings.Repeat("a", 5_000) + `b"}`), fault: jsonschema.TooCostly},
		{name: "128 calls, each a tree of unions", schema: tree(false), calls: times(treeCall(9, "1"))},
		{name: "128 calls, each a tree of unions, wrong inside", schema: tree(false), calls: times(treeCall(9, "-1")), errors: []string{"schema:"}, count: 1},
		{name: "128 calls, each 8 kB of items of the wrong type", schema: property("l", `{"items":{"type":"string"}}`), calls: times(`{"l":[` + repeat(4_000, ",", the("1")) + `]}`),
			errors: []string{"type:l[0]"}, count: 1},
		{name: "128 calls, each 8 kB of unique objects", schema: property("l", `{"uniqueItems":true}`), calls: times(`{"l":[` + repeat(500, ",", func(i int) string { return fmt.Sprintf(`{"a":%d,"b":0}`, i) }) + `]}`)},
	}
}
