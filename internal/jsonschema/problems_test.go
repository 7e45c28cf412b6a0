package jsonschema

import (
	"slices"
	"strings"
	"testing"
)

// brief spells problems as "path keyword".
func brief(list []Problem) []string {
	out := []string{}
	for _, p := range list {
		out = append(out, p.Path+" "+p.Keyword)
	}
	return out
}

func TestCompileProblems(t *testing.T) {
	const newer = `"$schema":"https://json-schema.org/draft/2020-12/schema"`
	for _, tt := range []struct {
		name, doc string
		opts      Options
		want      []string
	}{
		{"not JSON", `{"type":`, Options{}, []string{" "}},
		{"trailing", `{} {}`, Options{}, []string{" "}},
		{"blank", ` `, Options{}, []string{" "}},
		{"no schema", `[]`, Options{}, []string{" "}},
		{"a string", `"x"`, Options{}, []string{" "}},
		{"duplicate keys", `{"type":"object","properties":{"a":{},"\u0061":{}},"type":"object"}`, Options{}, []string{"/properties/a ", "/type "}},
		{"unknown type", `{"properties":{"a":{"type":"int"},"b":{"type":"STRING"}}}`, Options{}, []string{"/properties/a/type type", "/properties/b/type type"}},
		{"description null", `{"properties":{"a":{"description":null}}}`, Options{}, []string{"/properties/a/description description"}},
		{"php", `{"properties":[],"additionalProperties":null}`, Options{}, []string{"/additionalProperties additionalProperties", "/properties properties"}},
		{"required true", `{"properties":{"a":{"required":true}},"required":"a"}`, Options{}, []string{"/properties/a/required required", "/required required"}},
		{"enum object", `{"properties":{"a":{"enum":{}}}}`, Options{}, []string{"/properties/a/enum enum"}},
		{"draft 4 bounds", `{"exclusiveMinimum":true,"minimum":1}`, Options{}, []string{"/exclusiveMinimum exclusiveMinimum"}},
		{"property is text", `{"properties":{"type":"object"}}`, Options{}, []string{"/properties/type properties"}},
		{"in a list of items", `{"items":[{"type":"x"}]}`, Options{}, []string{"/items/0/type type"}},
		{"in $defs", `{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"x"}}}`, Options{}, []string{"/$defs/a/type type"}},
		{"negative count", `{"minLength":-1,"maxItems":1.5}`, Options{}, []string{"/maxItems maxItems", "/minLength minLength"}},
		{"huge count", `{"maxLength":18446744073709551615}`, Options{}, []string{"/maxLength maxLength"}},
		{"absurd bound", `{"minimum":1e99999999,"multipleOf":1e-99999999}`, Options{}, []string{"/minimum minimum", "/multipleOf multipleOf"}},
		{"absurd default", `{"default":1e99999999}`, Options{}, []string{"/default default"}},
		{"zero multiple", `{"multipleOf":0}`, Options{}, []string{"/multipleOf multipleOf"}},

		{"remote", `{"properties":{"a":{"$ref":"http://169.254.169.254/x"},"b":{"$ref":"file:///etc/passwd"},"c":{"$ref":"other.json"}}}`, Options{},
			[]string{"/properties/a/$ref $ref", "/properties/b/$ref $ref", "/properties/c/$ref $ref"}},
		{"urn base", `{"$id":"urn:x:y","properties":{"a":{"$ref":"other.json"}}}`, Options{}, []string{"/properties/a/$ref $ref"}},
		{"unresolved", `{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#nowhere"},"c":{"$ref":"#/properties/b/type/3"}}}`, Options{},
			[]string{"/properties/a/$ref $ref", "/properties/b/$ref $ref", "/properties/c/$ref $ref"}},
		{"reference to a text", `{"properties":{"a":{"$ref":"#/title"}},"title":"x"}`, Options{}, []string{"/title title"}},
		{"cycle to the root", `{"$ref":"#"}`, Options{}, []string{" $ref"}},
		{"cycle of two", `{"properties":{"a":{"$ref":"#/definitions/A"}},"definitions":{"A":{"allOf":[{"$ref":"#/definitions/B"}]},"B":{"allOf":[{"$ref":"#/definitions/A"}]}}}`, Options{},
			[]string{"/definitions/A $ref"}},
		{"cycle through not", `{"not":{"$ref":"#"}}`, Options{}, []string{" $ref"}},
		{"cycle through dependents", `{"dependencies":{"a":{"$ref":"#"}}}`, Options{}, []string{" $ref"}},

		{"true branch", `{"anyOf":[true,{"type":"string"}]}`, Options{}, []string{"/anyOf/0 anyOf"}},
		{"empty branch", `{"oneOf":[{"type":"string"},{}]}`, Options{}, []string{"/oneOf/1 oneOf"}},
		{"annotated branch", `{"properties":{"a":{"anyOf":[{"type":"string"},{"title":"x","default":null,"format":"int64"}]}}}`, Options{}, []string{"/properties/a/anyOf/1 anyOf"}},

		{"pattern", `{"properties":{"a":{"pattern":"[a-z"}},"patternProperties":{"(":{}}}`, Options{}, []string{"/patternProperties/( patternProperties", "/properties/a/pattern pattern"}},

		{"unknown dialect", `{"$schema":"http://json-schema.org/draft-03/schema#"}`, Options{}, []string{"/$schema $schema"}},
		{"dialect no text", `{"$schema":7}`, Options{}, []string{"/$schema $schema"}},
		{"unknown option", `{}`, Options{Dialect: "Draft3"}, []string{" "}},
		{"ignored keywords", `{"properties":{"a":{"prefixItems":[{}],"minContains":1},"dependentRequired":{"type":"string"}}}`, Options{},
			[]string{"/properties/a/minContains minContains", "/properties/a/prefixItems prefixItems"}},
		{"ignored sibling", `{"properties":{"a":{"$ref":"#/$defs/E","enum":["x"],"description":"y"}},"$defs":{"E":{"type":"string"}}}`, Options{}, []string{"/properties/a/enum enum"}},
		{"ignored in $defs", `{"properties":{"a":{"$ref":"#/$defs/E"}},"$defs":{"E":{"unevaluatedProperties":false}}}`, Options{}, []string{"/$defs/E/unevaluatedProperties unevaluatedProperties"}},
		{"2020-12 list of items", `{` + newer + `,"properties":{"a":{"items":[{}]}}}`, Options{}, []string{"/properties/a/items items"}},

		{"good", `{"properties":{"$ref":{"type":"string"},"prefixItems":{},"default":{"const":{"$ref":"x"}}}}`, Options{}, []string{}},
		{"meta-schema", `{"properties":{"a":{"$ref":"http://json-schema.org/draft-07/schema#"}}}`, Options{}, []string{}},
		{"explicit", `{"properties":{"a":{"prefixItems":[{}]}}}`, Options{Dialect: Draft7}, []string{}},
	} {
		c, problems, _ := Compile([]byte(tt.doc), tt.opts)
		if got := brief(problems); !slices.Equal(got, tt.want) || (c == nil) != (len(tt.want) > 0) {
			t.Errorf("%s: got %q, want %q: %v", tt.name, got, tt.want, problems)
		}
	}
}

func TestCompileWarnings(t *testing.T) {
	for _, tt := range []struct {
		name, doc string
		opts      Options
		want      []string
	}{
		{"none", `{"properties":{"a":{"pattern":"^x$","format":"date"}}}`, Options{}, []string{}},
		{"backtracking", `{"properties":{"a":{"pattern":"^(?!x)"}}}`, Options{}, []string{"/properties/a/pattern pattern"}},
		{"unknown format", `{"properties":{"a":{"format":"int64"}}}`, Options{}, []string{"/properties/a/format format"}},
		{"ignored on purpose", `{"properties":{"a":{"prefixItems":[{}]}}}`, Options{Dialect: Draft7}, []string{"/properties/a/prefixItems prefixItems"}},
		{"required but undeclared", `{"properties":{"a":{}},"required":["a","b"]}`, Options{}, []string{"/required required"}},
		{"required but open", `{"additionalProperties":true,"required":["b"]}`, Options{}, []string{}},
		{"nothing declared", `{"type":"object"}`, Options{}, []string{" properties"}},
		{"nothing declared but followed", `{"type":"object"}`, Options{Undeclared: FollowSchema}, []string{}},
		{"empty list is meant", `{"type":"object","properties":{}}`, Options{}, []string{}},
	} {
		c, problems, warnings := Compile([]byte(tt.doc), tt.opts)
		if got := brief(warnings); c == nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q: %v %v", tt.name, got, tt.want, warnings, problems)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	doc := `{"properties":{` + repeat(100, ",", func(i int) string { return `"` + strings.Repeat("k", i+1) + `":{"type":"x"}` }) + `}}`
	_, problems, _ := Compile([]byte(doc), Options{})
	if len(problems) != maxProblems+1 || !strings.HasPrefix(problems[maxProblems].Message, "69 more problems") {
		t.Errorf("%d problems, the last %v", len(problems), problems[len(problems)-1])
	}
}

func TestCompiledIsDescribed(t *testing.T) {
	c := mustCompile(t, `{"$schema":"https://json-schema.org/draft/2019-09/schema#","properties":{"a":{}}}`, Options{Dialect: Draft7})
	if c.Dialect() != Draft2019 {
		t.Error(c.Dialect())
	}
	d := mustCompile(t, `{"properties":{"a":{}}}`, Options{})
	same := mustCompile(t, `{"properties":{"a":{}}}`, Options{})
	other := mustCompile(t, `{"properties":{"a":{}}}`, Options{NullsAbsent: true})
	if d.Dialect() != Draft7 || d.Hash() != same.Hash() || d.Hash() == other.Hash() || !strings.HasPrefix(d.Hash(), "sha256:") {
		t.Error(d.Dialect(), d.Hash(), other.Hash())
	}
}
