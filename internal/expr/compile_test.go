package expr

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestIssues(t *testing.T) {
	message := Options{Result: Text, Variables: MessageVariables}
	key := Options{Result: Text, Variables: KeyVariables}
	rule := Options{Variables: RuleVariables}
	for _, c := range []struct {
		name, source string
		opts         Options
		// want is line:column kind, of each issue.
		want string
	}{
		{"empty", " \n", rule, "1:1 Syntax"},
		{"not UTF-8", "'\xff' == ''", rule, "1:1 Syntax"},
		{"unfinished", "args.a[1", rule, "1:9 Syntax"},
		{"a reserved word", "args.a == package", rule, "1:11 Syntax"},
		{"an unknown variable", "argss.a == 1", rule, "1:1 UnknownName"},
		{"an unknown function", "args.a == foo(1)", rule, "1:14 UnknownName"},
		{"an unknown method", "tenant.starts('a')", rule, "1:14 UnknownName"},
		{"a misspelt field", "caller.nmespace == 'a'", rule, "1:7 UnknownName"},
		{"a misspelt field in has()", "has(tool.nam)", rule, "1:4 UnknownName"},
		{"a misspelt field of the context", "context.attribute.a", rule, "1:8 UnknownName"},
		{"two faults", "caller.nmespace == 'a' &&\n  tool.nam == 'b'", rule, "1:7 UnknownName, 2:7 UnknownName"},
		{"columns count code points", "'üü😀' == tenant &&\n\n  'ü' == tenannt", rule, "3:10 UnknownName"},
		{"types", "tenant > 1", rule, "1:8 Type"},
		{"a mixed list", "[1, 'a'].size() == 2", rule, "1:5 Type"},
		{"no bool", "tenant", rule, "1:1 Type"},
		{"no text", "1 + 1", key, "1:1 Type"},
		{"a caller cannot be made", "callgate.dev.Caller{namespace: 'x'} == caller", rule, "1:20 UnknownName"},
		{"a message that reads args", "'no: ' + args.a", message, "1:10 NotAllowed"},
		{"a message that asks for args", "has(args.a) ? 'a' : 'b'", message, "1:5 NotAllowed"},
		{"a message that reads args in a loop", "[1].map(x, args.a)[0]", message, "1:12 NotAllowed"},
		{"a message that names args from the root", "'no: ' + .args.a", message, "1:11 NotAllowed"},
		{"a key that reads the tool", "tenant + tool.name", key, "1:10 NotAllowed"},
		{"a local variable that hides one", "[1].all(args, args == 1)", rule, "1:8 NotAllowed"},
		{"two that hide", "[1].all(tenant, caller, true)", rule, "1:8 NotAllowed, 1:8 NotAllowed"},
		{"a bad pattern", "tenant.matches('(')", rule, "1:16 Syntax"},
		{"a pattern too large", "tenant.matches('" + strings.Repeat("(ab){1000}", 11) + "')", rule, "1:16 Cost"},
		{"a bad duration", "duration('x') == duration('1s')", rule, "1:10 Type"},
		{"too long", strings.Repeat(" ", MaxSourceBytes) + "1", rule, "1:1 Cost"},
		{"an exponential macro", "optional.of(1)" + strings.Repeat(".optMap(x, x)", 30) + ".hasValue()", rule, "1:1 Cost"},
		{"too costly by itself", "lists.range(100000).all(x, lists.range(100000).all(y, true))", rule, "1:1 Cost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, issues := Compile(c.source, c.opts)
			if p != nil {
				t.Error("there is a program all the same")
			}
			var got []string
			for _, i := range issues {
				got = append(got, fmt.Sprintf("%d:%d %s", i.Line, i.Column, i.Kind))
				if i.Message == "" || len(i.Message) > maxMessage || !utf8.ValidString(i.Message) || i.Schema {
					t.Errorf("the issue is %+v", i)
				}
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("issues %s, want %s: %v", s, c.want, issues)
			}
		})
	}
}

func TestFacts(t *testing.T) {
	for _, c := range []struct {
		source string
		reads  Variables
	}{
		{"true", 0},
		{"args.a == 1", VarArgs},
		{"has(args.a)", VarArgs},
		{"true || args.a == 1", VarArgs},
		{"size(args) == 0", VarArgs},
		{"'args' == 'tenant'", 0},
		{"caller.namespace == 'args'", VarCaller},
		{"[1, 2].exists(x, x == args.a)", VarArgs},
		{"args.l.all(x, x.tenant == caller.namespace)", VarArgs | VarCaller},
		{"[tenant].all(t, t == 'a')", VarTenant},
		{"{'a': tenant}.a == 'a'", VarTenant},
		{".tenant == 'a'", VarTenant},
		{"context.tenant == 'a'", VarContext},
		{"context.?attributes.?a.hasValue()", VarContext},
		{"optional.of(tool).optMap(t, t.name).orValue('') == ''", VarTool},
		{"[[3, 1]].sortBy(e, e[0] + int(tenant)).size() == 1", VarTenant},
		{"context.attributes['tenant'] == tool.labels['args']", VarContext | VarTool},
	} {
		p := mustCompile(t, c.source)
		for _, v := range variables {
			if p.Reads(v.name) != (c.reads&v.bit != 0) {
				t.Errorf("%s: Reads(%s) is %t", c.source, v.name, p.Reads(v.name))
			}
		}
		if p.ReadsArgs() != p.Reads("args") || p.ReadsTenant() != p.Reads("tenant") || p.ReadsContext() != p.Reads("context") {
			t.Errorf("%s: the short forms disagree", c.source)
		}
		if p.Reads("no such variable") {
			t.Error("an unknown variable is read")
		}
	}
}

func TestConstant(t *testing.T) {
	for _, c := range []struct {
		source string
		opts   Options
		want   any
	}{
		{"true", Options{}, true},
		{"1 > 2", Options{}, false},
		{"[1, 2].all(x, x > 0)", Options{}, true},
		{"true || args.a == 1", Options{}, true},
		{"false && caller.namespace == 'a'", Options{}, false},
		{"args.a == 1 || true", Options{}, true},
		{"args.a == 1", Options{}, nil},
		{"args.a != 1", Options{}, nil},
		{"'x' != args.a", Options{}, nil},
		{"!(1 == args.a)", Options{}, nil},
		{"tenant == tenant", Options{}, nil},
		{"tool.name == ''", Options{}, nil},
		{"1 / 0 == 1", Options{}, nil},
		{"args.l.all(x, true)", Options{}, nil},
		{"'a' + 'b'", Options{Result: Text}, "ab"},
		{"'a' + tenant", Options{Result: Text}, nil},
	} {
		c.opts.Variables = RuleVariables
		p, issues := Compile(c.source, c.opts)
		if p == nil {
			t.Fatalf("%s: %v", c.source, issues)
		}
		if got, known := p.Constant(); got != c.want || known != (c.want != nil) {
			t.Errorf("%s: constant %v, %t, want %v", c.source, got, known, c.want)
		}
	}
}

func TestEstimatedCost(t *testing.T) {
	least, most := mustCompile(t, "tenant == 'a'").EstimatedCost()
	if least == 0 || most < least || most > 100 {
		t.Errorf("a comparison is estimated at %d to %d", least, most)
	}
	if _, walk := mustCompile(t, "args.l.all(x, x > 1)").EstimatedCost(); walk < maxTreeValues {
		t.Errorf("a walk over the arguments is estimated at %d at most", walk)
	}
}

func TestCompileIsDeterministic(t *testing.T) {
	source := "caller.nmespace == 'a' && tool.nam == 'b' && foo(args.x) && [1].all(x, y)"
	_, first := Compile(source, Options{Variables: RuleVariables})
	for range 5 {
		if _, again := Compile(source, Options{Variables: RuleVariables}); fmt.Sprint(again) != fmt.Sprint(first) {
			t.Fatalf("%v, then %v", first, again)
		}
	}
}
