package expr

import (
	"testing"
	"unicode/utf8"
)

// FuzzCompile: any source gives a program or issues with a place and a message,
// the same each time, and an evaluation of it ends within its bound.
func FuzzCompile(f *testing.F) {
	for _, c := range rules(f) {
		f.Add(c.Rule, "")
	}
	for _, s := range []string{
		"args.[1", "'\\x", "((((((((", "[[[[1]]]]", "a.b.c.d", "has(has(a))", "optional.of(1).optMap(x, x).optMap(y, y)", "1e999",
		"args.l.all(x, args.l.all(y, args.l.all(z, x + y + z > 0)))", "lists.range(100000).map(x, lists.range(100000))",
		"'a'.matches('(a{1000}){1000}')", "b'\\xff' == b''", "{1: 2, 1: 3}", "[1].sortBy(e, [e])", "duration('1s') + timestamp(args.t)",
		"[].all(a, b, c, d)", "cel.bind(x, 1, x)", "math.greatest(1, 2)", "__args__", ".args.a", "args.?a[?0].?b", "type(type(1)) == type",
	} {
		f.Add(s, payment)
	}
	a := argsOf(`{"l": [1, 2, 3], "s": "a", "t": "2026-01-01T00:00:00Z", "n": 1e400, "o": {"x": [{}]}}`)
	f.Fuzz(func(t *testing.T, source, schema string) {
		for _, opts := range []Options{
			{Variables: RuleVariables, Args: ArgsTypeOf([]byte(schema), ClosedNested)},
			{Variables: MessageVariables, Result: Text},
		} {
			p, issues := Compile(source, opts)
			if p == nil && len(issues) == 0 {
				t.Fatal("neither a program nor an issue")
			}
			for _, i := range issues {
				if i.Line < 1 || i.Column < 1 || i.Kind == "" || i.Message == "" || len(i.Message) > maxMessage || !utf8.ValidString(i.Message) {
					t.Fatalf("the issue %+v", i)
				}
				if i.Schema == (p == nil) {
					t.Fatalf("program %t with %+v", p != nil, i)
				}
			}
			out := p.Eval(a, NewBudget(10_000))
			if out.Cost > 10_000 {
				t.Fatalf("the cost is %d", out.Cost)
			}
			if p != nil && opts.Variables&VarArgs == 0 && p.ReadsArgs() {
				t.Fatal("a message reads args")
			}
			if again := p.Eval(a, NewBudget(10_000)); again != out {
				t.Fatalf("%+v, then %+v", out, again)
			}
		}
	})
}

// FuzzEval: whatever the arguments are, an evaluation ends, with the same outcome
// each time, and costs no more than it may.
func FuzzEval(f *testing.F) {
	var programs []*Program
	for _, c := range rules(f) {
		programs = append(programs, mustCompile(f, c.Rule))
		if c.Args != nil {
			f.Add([]byte(c.Args))
		}
	}
	for _, rule := range []string{
		"args == args && args != {'a': 1}", "args.all(k, v, args[k] == v && k in args)", "'%s %v'.format([args, 1]) != ''",
		"args.a.all(x, x in args.a)", "args.a.sort() == args.a.reverse()", "args.a.flatten(3).distinct() != args.b",
		"string(args.a) + string(args.b) != '' && int(args.a) > double(args.b)", "args.a.matches(args.b)", "args.a.replace(args.b, args.c) != ''",
		"quantity(args.a).compareTo(quantity(args.b)) > 0 || semver(args.a) == semver(args.b)", "url(args.a) == url(args.b) || ip(args.a) == ip(args.b)",
		"timestamp(args.a).getHours(args.b) > 0 || duration(args.a) > duration(args.b)", "[args.a].transformMap(k, v, args.b).size() > 0",
	} {
		if p, _ := Compile(rule, Options{Variables: RuleVariables}); p != nil {
			programs = append(programs, p)
		}
	}
	f.Add([]byte(`{"a":["b",{"c":[1.5e3,-0.0,1e400,null]}],"b":"\u00e9\ud83d\ude00","c":""}`))
	f.Add([]byte(`{"a":"1e99999999","b":"Ki","c":"%.99999f"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a := &Activation{Args: NewArgs(raw), Context: Context{Attributes: NewArgs(raw)}}
		for i, p := range programs {
			out := p.Eval(a, NewBudget(20_000))
			if out.Cost > 20_000 || out.Text != "" || (out.Reason == NoReason) != (out.Kind == True || out.Kind == False) {
				t.Fatalf("program %d: %+v", i, out)
			}
			if again := p.Eval(a, NewBudget(20_000)); again != out {
				t.Fatalf("program %d: %+v, then %+v", i, out, again)
			}
		}
	})
}
