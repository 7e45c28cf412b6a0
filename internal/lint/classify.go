package lint

import (
	"cmp"
	"math"
	"strconv"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rawjson"
)

// classifier tells what kind of thing compiling has to say of a schema, by its keyword and
// by what stands at its place. Words are for people.
type classifier struct {
	root *rawjson.Value
	// draft is that in force, and chosen says that somebody chose it.
	draft  draft
	chosen bool
	// stored: the document is an object of the API server's.
	stored bool
	// applied: kubectl's annotation shows what was applied.
	applied bool
	// delegated are the places that the slower judge judges.
	delegated map[[2]string]bool
}

func (l *schemaLinter) classifier() *classifier {
	c := &classifier{stored: l.object.Spec.ParametersJSON == "", delegated: map[[2]string]bool{}}
	if len(l.outcome.Problems)+len(l.outcome.Warnings) == 0 {
		return c
	}
	// A document that is no JSON has no places, and needs none.
	c.root, _ = rawjson.Parse(l.text, rawjson.Limits{MaxDepth: maxDocumentDepth, MaxValues: maxDocumentValues})
	c.draft, c.chosen = draftOf(jsonschema.Dialect(l.outcome.Dialect)), l.object.Spec.Dialect != "" || c.root.Get("$schema") != nil
	if l.outcome.Dialect == "" {
		c.draft = draftOf(jsonschema.Dialect(l.object.Spec.Dialect))
	}
	_, c.applied = l.object.Annotations[compile.LastAppliedAnnotation]
	if ns := l.in.Output.Namespaces[l.object.Namespace]; ns != nil {
		if tool := ns.Tools[string(l.outcome.ToolName)]; tool != nil {
			c.delegates(tool.Judge)
		}
	}
	return c
}

func (c *classifier) delegates(judge jsonschema.Judge) {
	compiled, ok := judge.(*jsonschema.Compiled)
	if !ok || compiled == nil {
		return
	}
	for _, d := range compiled.Explain().Reference {
		c.delegated[[2]string{d.Path, d.Keyword}] = true
	}
}

// maxListed is how many problems compiling lists, one that says that there are more
// among them.
const maxListed = 32

// byKeyword are the rules of problems with a keyword's value.
var byKeyword = map[string]string{
	"$schema": ruleSchemaDialect,
	"$id":     ruleSchemaIdentifier, "id": ruleSchemaIdentifier, "$anchor": ruleSchemaIdentifier, "$dynamicAnchor": ruleSchemaIdentifier,
	"$ref": ruleSchemaReference, "$recursiveRef": ruleSchemaReference, "$dynamicRef": ruleSchemaReference,
	"pattern": ruleSchemaPattern, "patternProperties": ruleSchemaPattern,
}

// problem is the rule of a problem, the i-th.
func (c *classifier) problem(i int, p callgatev1alpha1.Problem) string {
	at := path(p)
	if at == "" && p.Keyword == "" {
		if i == maxListed-1 {
			return manifest.RuleMore
		}
		return ruleSchemaDocument
	}
	switch {
	case !c.chosen && c.ignored(at, p.Keyword):
		return ruleSchemaDialect
	case p.Keyword == "" && c.twice(at):
		return manifest.RuleDuplicateKey
	case isUnion[p.Keyword] && isSchema(c.value(at)):
		return ruleSchemaOpenBranch
	}
	return cmp.Or(byKeyword[p.Keyword], ruleSchemaKeyword)
}

var isUnion = map[string]bool{"anyOf": true, "oneOf": true}

func isSchema(v *rawjson.Value) bool { return isTrue(v) || v != nil && v.Kind == rawjson.Object }

// warning is the rule of a warning.
func (c *classifier) warning(p callgatev1alpha1.Problem) string {
	at := path(p)
	switch {
	case c.delegated[[2]string{at, p.Keyword}]:
		return ruleSlowJudge
	case at == "" && p.Keyword == "":
		return manifest.RuleMore
	case c.draft < draft2019 && c.ignored(at, p.Keyword) && !c.isNull(at):
		return ruleIgnoredKeyword
	}
	if rule := c.stores(at); rule != "" {
		return rule
	}
	return cmp.Or(warningsAt[warningAt{p.Keyword, tokenOf(at)}], warningsOf[p.Keyword], ruleSchemaWarning)
}

// stores is the rule of a warning about the way to the API server, "" for any other.
func (c *classifier) stores(at string) string {
	v := c.value(at)
	number := v != nil && v.Kind == rawjson.Number
	switch {
	case c.stored && c.isNull(at):
		return ruleDroppedNull
	case c.stored && number && beyond64(v):
		return manifest.RuleRoundedNumber
	case c.applied && (v == nil || number):
		return ruleLostInApply
	}
	return ""
}

func (c *classifier) isNull(at string) bool {
	v := c.value(at)
	return v != nil && v.Kind == rawjson.Null
}

// warningAt is a warning's keyword, and the last token of its place.
type warningAt struct{ keyword, token string }

var (
	warningsAt = map[warningAt]string{
		{"format", "format"}: ruleUnknownFormat, {"properties", ""}: ruleNoArguments, {"required", "required"}: ruleUndeclaredNeeded,
	}
	warningsOf = map[string]string{"pattern": ruleSlowPattern, "patternProperties": ruleSlowPattern}
)

func tokenOf(pointer string) string {
	_, token := lastToken(pointer)
	return token
}

// ignored says that Draft 7 ignores the keyword at a place.
func (c *classifier) ignored(at, keyword string) bool {
	parent, token := lastToken(at)
	if token != keyword || at == "" {
		return false
	}
	beside := c.value(parent)
	return newer[keyword] || keyword != "$ref" && beside != nil && beside.Kind == rawjson.Object && text(beside, "$ref") != ""
}

// twice says that the key at a place occurs twice.
func (c *classifier) twice(at string) bool {
	parent, token := lastToken(at)
	around, n := c.value(parent), 0
	if around == nil || at == "" {
		return false
	}
	for _, f := range around.Fields {
		if f.Key == token {
			n++
		}
	}
	return n > 1
}

func (c *classifier) value(at string) *rawjson.Value {
	if c.root == nil {
		return nil
	}
	return c.root.At(at)
}

// beyond64 says that no int64 holds the number.
func beyond64(v *rawjson.Value) bool {
	f, err := strconv.ParseFloat(string(v.Raw), 64)
	return err != nil || math.Abs(f) >= 1<<63
}
