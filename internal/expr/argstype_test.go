package expr

import (
	"fmt"
	"strings"
	"testing"
)

const payment = `{"type": "object", "additionalProperties": false, "properties": {
	"amount": {"type": "integer"}, "price": {"type": "number"}, "currency": {"type": "string", "enum": ["EUR"]}, "dry": {"type": "boolean"},
	"note": {"type": ["string", "null"]}, "any": {}, "never": false,
	"to": {"type": "object", "additionalProperties": false, "properties": {"iban": {"type": "string"}, "name": {"type": "string"}}},
	"open": {"type": "object", "properties": {"x": {"type": "string"}}},
	"items": {"type": "array", "items": {"type": "object", "additionalProperties": false, "properties": {"sku": {"type": "string"}, "n": {"type": "integer"}}}},
	"tags": {"type": "array", "items": {"type": "string"}},
	"pair": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]},
	"ref": {"$ref": "#/definitions/x", "type": "string"}}}`

// found gives the issues of a rule, as line:column kind.
func found(t *testing.T, rule string, args *ArgsType) string {
	t.Helper()
	p, issues := Compile(rule, Options{Variables: RuleVariables, Args: args})
	if p == nil {
		t.Fatalf("%s is no program: %v", rule, issues)
	}
	var out []string
	for _, i := range issues {
		if !i.Schema || i.Message == "" {
			t.Errorf("%s: %+v", rule, i)
		}
		out = append(out, fmt.Sprintf("%d:%d %s", i.Line, i.Column, i.Kind))
	}
	return strings.Join(out, ", ")
}

func TestIssuesOfSchemas(t *testing.T) {
	args := ArgsTypeOf([]byte(payment), FollowSchema)
	if args == nil {
		t.Fatal("nothing is known of the schema")
	}
	for _, c := range []struct{ rule, want string }{
		{"args.amuont <= 100", "1:5 UnknownName"},
		{"tenant == 'ü' &&\n  args.amuont <= 100 || args.currencyy == ''", "2:7 UnknownName, 2:29 UnknownName"},
		{"has(args.amuont)", "1:4 UnknownName"},
		{"has(args.to.ibann)", "1:4 UnknownName"},
		{"args.to.ibann == ''", "1:8 UnknownName"},
		{"args.items.all(i, i.sky == '')", "1:20 UnknownName"},
		{"args.items[0].sky == ''", "1:14 UnknownName"},
		{"args.items.all(i, k, k.sky == '')", "1:23 UnknownName"},
		{"args.amount.startsWith('1')", "1:23 Type"},
		{"args.currency > 1", "1:15 Type"},
		{"args.currency.code == ''", "1:14 Type"},
		{"args.tags.all(x, x + 1 > 1)", "1:20 Type"},
		{"!args.currency", "1:1 Type"},
		{"size(args.amount) == 1", "1:5 Type"},
		{"!args.?nothing.hasValue()", "1:6 UnknownName"},
		{"!args[?'nothing'].hasValue()", "1:6 UnknownName"},
		{"args.?to.?ibann.orValue('') == ''", "1:9 UnknownName"},
		{"args.?to.ibann.orValue('') == ''", "1:9 UnknownName"},
		{"'amuont' in args", "1:10 UnknownName"},
		{"args['amuont'] == 1", "1:5 UnknownName"},
		// An object that is used as a whole takes no name out of sight.
		{"args.amuont > 1 && 'amount' in args", "1:5 UnknownName"},
		{"args.size() < 9 && args.amuont > 1", "1:24 UnknownName"},
		{"args.amuont <= args.?amount.orValue(5)", "1:5 UnknownName"},
	} {
		if got := found(t, c.rule, args); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

// TestOutcomesOfUndeclaredNames holds what an issue says to what an evaluation gives.
func TestOutcomesOfUndeclaredNames(t *testing.T) {
	args := ArgsTypeOf([]byte(payment), FollowSchema)
	for _, c := range []struct {
		rule, says string
		want       Kind
	}{
		{"args.amuont <= 100", "where it is read, the expression fails", Failed},
		{"args['amuont'] <= 100", "where it is read, the expression fails", Failed},
		{"has(args.amuont)", "has() of it is always false", False},
		{"!has(args.amuont)", "has() of it is always false", True},
		{"!('amuont' in args)", "in is always false", True},
		{"args.?amuont.orValue(1) == 1", "it is always absent", True},
		{"args.?to.?ibann.orValue(1) == 1", "it is always absent", True},
		{"args.?to.ibann.orValue(1) == 1", "it is always absent", True},
		{"args.amount + args.currency == 1", "where it is evaluated, the expression fails", Failed},
	} {
		p, issues := Compile(c.rule, Options{Variables: RuleVariables, Args: args})
		if len(issues) != 1 || !strings.HasSuffix(issues[0].Message, c.says) {
			t.Errorf("%s: issues %v, want one that ends with %q", c.rule, issues, c.says)
		}
		if out := p.Eval(argsOf(`{"amount": 5, "currency": "EUR", "to": {}}`), nil); out.Kind != c.want {
			t.Errorf("%s: %#v, want %#v", c.rule, out.Kind, c.want)
		}
	}
}

// TestNoFalseIssues has what works on arguments that passed the schema, however the
// checker would see it.
func TestNoFalseIssues(t *testing.T) {
	args := ArgsTypeOf([]byte(payment), FollowSchema)
	const given = `{"amount": 5, "price": 2, "currency": "EUR", "dry": true, "note": null, "any": [], "to": {"iban": "AT1", "name": "n"},
		"open": {"x": "a", "y": 1}, "items": [{"sku": "a", "n": 1}], "tags": ["a"], "pair": ["a", 1], "ref": "a"}`
	for _, rule := range []string{
		"args.amount <= 100 && args.price < 2.5 && args.currency == 'EUR' && args.dry",
		"args.amount == 5.0 && args.amount < 5.5 && args.amount != 1.5",
		"args.price % 2 == 0", "args.note == null", "args.currency != null", "args.currency != 1", "!(args.currency in [1, 2])",
		"args.any == []", "args.open.y == 1", "args.open.x.startsWith('a')", "args.pair[1] == 1", "args.ref == 'a'",
		"args.items.all(i, i.n <= 10 && i.sku != '')", "args.items.map(i, i.sku) == ['a']", "args.items.exists_one(i, i.n == 1)",
		"args.items.filter(i, i.n == 1).size() == 1", "args.items.filter(i, i.n == 1)[0].sku == 'a'",
		"args.tags.all(x, x.startsWith('a'))", "args.tags.all(i, x, x != '' && i < 5)", "'a' in args.tags", "args.tags + ['b'] == ['a', 'b']",
		"'amount' in args", "args['amount'] == 5", "args.all(k, k != '')", "size(args) == 12", "args.exists(k, v, k == 'amount' && v == 5)",
		"args.to == {'iban': 'AT1', 'name': 'n'}", "args.to['iban'] == 'AT1'", "size(args.to) == 2", "args.to.all(k, k != '')",
		"args.items[0] == {'sku': dyn('a'), 'n': dyn(1)}", "args.items.all(i, 'sku' in i)", "(args.dry ? args.to : args.open).size() == 2",
		"[args.amount, args.currency].size() == 2", "{'a': args.amount, 'b': args.currency}.size() == 2",
		"(has(args.amount) ? args.amount : 'none') == 5", "args.?amount.orValue(0) == 5", "args.?to.?iban.orValue('') == 'AT1'",
		"args.?to.optMap(x, x.iban).orValue('') == 'AT1'", "args.items.sortBy(i, i.n)[0].n == 1",
		"dyn(args.amount) == 5", "string(args.amount) == '5'", "type(args.amount) == int", "args.to.iban.matches('^AT')", "!has(args.never)",
	} {
		if got := found(t, rule, args); got != "" {
			t.Errorf("%s: %s", rule, got)
		}
		if out := mustCompile(t, rule).Eval(argsOf(given), nil); out.Kind != True {
			t.Errorf("%s: %#v %q", rule, out.Kind, out.Reason)
		}
	}
}

func TestClosedObjects(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		closed       Closed
		rule         string
		want         bool
	}{
		{"additionalProperties: false", `{"additionalProperties": false, "properties": {"a": {}}}`, FollowSchema, "args.b == 1", true},
		{"open", `{"properties": {"a": {}}}`, FollowSchema, "args.b == 1", false},
		{"closed by the setting", `{"properties": {"a": {}}}`, ClosedRoot, "args.b == 1", true},
		{"nothing declared", `{}`, ClosedRoot, "args.b == 1", true},
		{"opened again", `{"properties": {"a": {}}, "additionalProperties": true}`, ClosedRoot, "args.b == 1", false},
		{"opened for some", `{"properties": {"a": {}}, "additionalProperties": {"type": "string"}}`, ClosedNested, "args.b == 1", false},
		{"patterns", `{"properties": {"a": {}}, "patternProperties": {"^b": {}}, "additionalProperties": false}`, ClosedRoot, "args.b == 1", false},
		{"declared in place", `{"properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}]}`, ClosedRoot, "args.b == 1", false},
		{"declared under a condition", `{"properties": {"a": {}}, "if": {}, "then": {"properties": {"b": {}}}}`, ClosedRoot, "args.b == 1", false},
		{"a reference", `{"properties": {"a": {}}, "$ref": "#/definitions/x"}`, ClosedRoot, "args.b == 1", false},
		{"a reference beside a closing", `{"properties": {"a": {}}, "additionalProperties": false, "$ref": "#/x"}`, ClosedRoot, "args.b == 1", false},
		{"closed whatever is beside", `{"properties": {"a": {}}, "additionalProperties": false, "anyOf": [{}]}`, FollowSchema, "args.b == 1", true},
		{"nested, root closed", `{"properties": {"a": {"type": "object", "properties": {"b": {}}}}}`, ClosedRoot, "args.a.c == 1", false},
		{"nested, closed", `{"properties": {"a": {"type": "object", "properties": {"b": {}}}}}`, ClosedNested, "args.a.c == 1", true},
		{"nested, lists nothing", `{"properties": {"a": {"type": "object"}}}`, ClosedNested, "args.a.c == 1", false},
		{"nested, no object for sure", `{"properties": {"a": {"properties": {"b": {}}}}}`, ClosedNested, "args.a.c == 1", false},
		{"duplicate keys", `{"properties": {"a": {}, "a": {}}}`, ClosedRoot, "args.b == 1", false},
		{"no JSON", `{`, ClosedRoot, "args.b == 1", false},
		{"no object", `true`, ClosedRoot, "args.b == 1", false},
		{"too large", `{"description": "` + strings.Repeat("a", maxSchemaText) + `"}`, ClosedRoot, "args.b == 1", false},
		{"too many", `{"properties": {` + strings.TrimSuffix(manyProperties(maxShapes+1), ",") + `}}`, ClosedRoot, "args.b == 1", false},
	} {
		if got := found(t, c.rule, ArgsTypeOf([]byte(c.schema), c.closed)); (got != "") != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func manyProperties(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"p%d": {},`, i)
	}
	return b.String()
}

func TestCommonArgs(t *testing.T) {
	of := func(properties string) *ArgsType {
		return ArgsTypeOf([]byte(`{"properties": {`+properties+`}}`), ClosedNested)
	}
	a := of(`"id": {"type": "string"}, "n": {"type": "integer"}, "o": {"type": "object", "properties": {"x": {"type": "string"}}}, "l": {"type": "array", "items": {"type": "string"}}`)
	b := of(`"id": {"type": "integer"}, "m": {"type": "integer"}, "o": {"type": "object", "properties": {"y": {"type": "string"}}}, "l": {"type": "array", "items": {"type": "string"}}`)
	open := ArgsTypeOf([]byte(`{}`), FollowSchema)
	for _, c := range []struct {
		rule  string
		tools []*ArgsType
		want  string
	}{
		{"args.q == 1", []*ArgsType{a, b}, "1:5 UnknownName"},
		{"args.n == 1 || args.m == 1", []*ArgsType{a, b}, ""},
		{"args.n.startsWith('a')", []*ArgsType{a, b}, "1:18 Type"},
		{"args.id.startsWith('a')", []*ArgsType{a, b}, ""},
		{"args.id > 1", []*ArgsType{a, b}, ""},
		{"args.o.x == '' || args.o.y == ''", []*ArgsType{a, b}, ""},
		{"args.o.z == ''", []*ArgsType{a, b}, "1:7 UnknownName"},
		{"args.l[0] > 1", []*ArgsType{a, b}, "1:11 Type"},
		{"args.m == 1", []*ArgsType{a}, "1:5 UnknownName"},
		{"args.q == 1", []*ArgsType{a, b, open}, ""},
		{"args.q == 1", []*ArgsType{a, nil}, ""},
		{"args.q == 1", nil, ""},
	} {
		if got := found(t, c.rule, CommonArgs(c.tools...)); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}
