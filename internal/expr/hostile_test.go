package expr

import (
	"fmt"
	"strings"
	"testing"

	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

func TestLimitsAreThoseOfKubernetes(t *testing.T) {
	if PerEvaluationLimit != celconfig.PerCallLimit || PerReviewLimit != celconfig.RuntimeCELCostBudget ||
		MaxTextBytes != celconfig.MaxEvaluatedMessageExpressionSizeBytes {
		t.Error("Kubernetes has changed its limits; decide anew")
	}
}

// numbersJSON is a list of n numbers, textsJSON one of n texts.
func numbersJSON(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }
func textsJSON(n int, s string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`"`+s+`",`, n), ",") + "]"
}

// TestHostileArguments has rules that an operator may well write, and arguments
// with which a model would have the evaluation take minutes, or all memory. That
// the test ends is half of what it tests.
func TestHostileArguments(t *testing.T) {
	long := strings.Repeat("a", 500_000)
	quoted := func(s string) string { return `"` + s + `"` }
	for _, c := range []struct{ name, rule, args string }{
		{"nested loops", "args.l.all(x, args.l.all(y, x == y))", `{"l": ` + numbersJSON(10_000) + `}`},
		{"three nested loops", "args.l.all(x, args.l.all(y, args.l.all(z, true)))", `{"l": ` + numbersJSON(10_000) + `}`},
		{"nested loops over keys", "args.l.map(x, args.l.map(y, {x: y})).size() > 0", `{"l": ` + numbersJSON(10_000) + `}`},
		{"replace, growing", "args.s.replace('a', args.t) == ''", `{"s": ` + quoted(long[:200_000]) + `, "t": ` + quoted(long[:200_000]) + `}`},
		{"replace of nothing, growing", "args.s.replace('', args.t) == ''", `{"s": ` + quoted(long[:200_000]) + `, "t": ` + quoted(long[:200_000]) + `}`},
		{"join, growing", "args.l.join(args.s) == ''", `{"l": ` + textsJSON(20_000, "a") + `, "s": ` + quoted(long[:200_000]) + `}`},
		{"concatenation, growing", "[args.s].map(a, a+a).map(a, a+a).map(a, a+a).map(a, a+a).map(a, a+a).map(a, a+a)[0] == ''", `{"s": ` + quoted(long) + `}`},
		{"concatenation in a loop", "args.l.all(x, args.s + args.s != '')", `{"l": ` + numbersJSON(10_000) + `, "s": ` + quoted(long[:200_000]) + `}`},
		{"comparison in a loop", "args.l.all(x, args.s == args.t)", `{"l": ` + numbersJSON(10_000) + `, "s": ` + quoted(long[:200_000]) + `, "t": ` + quoted(long[:200_000]) + `}`},
		{"ordering in a loop", "args.l.all(x, args.s <= args.t)", `{"l": ` + numbersJSON(10_000) + `, "s": ` + quoted(long[:200_000]) + `, "t": ` + quoted(long[:200_000]) + `}`},
		{"deep comparison in a loop", "args.l.all(x, args.l == args.l)", `{"l": ` + numbersJSON(50_000) + `}`},
		{"deep comparison of the whole in a loop", "args.l.all(x, args == args)", `{"l": ` + numbersJSON(50_000) + `}`},
		{"deep comparison of computed lists", "args.l.all(x, [args.l] != [args.l, args.l])", `{"l": ` + numbersJSON(50_000) + `}`},
		{"membership in a loop", "args.l.all(x, !(2 in args.l))", `{"l": ` + numbersJSON(50_000) + `}`},
		{"lists in lists", "args.l.all(x, !(args.l in args.m))", `{"l": ` + numbersJSON(40_000) + `, "m": [` + numbersJSON(39_000) + `,2]}`},
		{"distinct", "args.l.distinct().size() > 0", `{"l": [` + countingJSON(50_000) + `]}`},
		{"sets", "sets.contains(args.l, args.l)", `{"l": [` + countingJSON(50_000) + `]}`},
		{"indexOf, naive", "args.s.indexOf(args.t) < 0", `{"s": ` + quoted(long[:200_000]) + `, "t": ` + quoted(long[:100_000]+"b") + `}`},
		{"lastIndexOf, naive", "args.s.lastIndexOf(args.t) < 0", `{"s": ` + quoted(long[:200_000]) + `, "t": ` + quoted("b"+long[:100_000]) + `}`},
		{"charAt in a loop", "args.l.all(x, args.s.charAt(x) == 'a')", `{"l": ` + numbersJSON(20_000) + `, "s": ` + quoted(long[:200_000]) + `}`},
		{"size in a loop", "args.l.all(x, size(args.s) > x)", `{"l": ` + numbersJSON(20_000) + `, "s": ` + quoted(long[:200_000]) + `}`},
		{"split", "args.l.all(x, args.s.split('').size() > 1)", `{"l": ` + numbersJSON(20_000) + `, "s": ` + quoted(long[:200_000]) + `}`},
		{"a counted pattern", "args.s.matches('(.{1,1000})$')", `{"s": ` + quoted(long) + `}`},
		{"a counted pattern, found", "args.s.findAll('(.{1,1000})$').size() == 0", `{"s": ` + quoted(long) + `}`},
		{"a pattern from the arguments", "args.s.matches(args.p)", `{"s": ` + quoted(long) + `, "p": "((a?){30}){30}z"}`},
		{"a huge pattern from the arguments", "'a'.matches(args.p)", `{"p": ` + quoted(strings.Repeat("a{1000}", 2000)) + `}`},
		{"a long pattern from the arguments", "args.s.matches(args.s)", `{"s": ` + quoted(long) + `}`},
		{"a pattern compiled in a loop", "args.l.all(x, 'b'.matches(args.p))", `{"l": ` + numbersJSON(20_000) + `, "p": "(a{90}){10}|b"}`},
		{"a quantity's exponent", "quantity(args.q).isLessThan(quantity('1Gi'))", `{"q": "1e99999999"}`},
		{"a quantity's negative exponent", "quantity(args.q).isLessThan(quantity('1Gi'))", `{"q": "1e-9999999"}`},
		{"is it a quantity", "isQuantity(args.q)", `{"q": "1E-99999999999999999999"}`},
		{"a quantity's digits", "[quantity(args.q)].all(q, args.l.all(x, q.compareTo(q) == 0))", `{"q": "1` + strings.Repeat("0", 300_000) + `", "l": [1]}`},
		{"a version's parts", "semver(args.v).isGreaterThan(semver('1.0.0'))", `{"v": "1.0.0-` + strings.Repeat("a.", 100_000) + `a"}`},
		{"a format's precision", "args.f.format([1.5]) == ''", `{"f": "%.999999999f"}`},
		{"a format's precision, small", "args.l.all(x, args.f.format([1.5]) != '')", `{"f": "%.99999f", "l": ` + numbersJSON(10_000) + `}`},
		{"a format of the whole", "args.l.all(x, '%s'.format([args]) != '')", `{"l": ` + numbersJSON(50_000) + `}`},
		{"a range", "lists.range(args.n).size() > 0", `{"n": 999999999999}`},
		{"ranges of ranges", "lists.range(args.n).all(x, lists.range(args.n).all(y, true))", `{"n": 100000}`},
		{"a long key", "args.l.all(x, {'a': 1}[args.s] == 1)", `{"l": ` + numbersJSON(10_000) + `, "s": ` + quoted(long) + `}`},
		{"a long key of the arguments", "args.l.all(x, args.m[args.s] == 1)", `{"l": ` + numbersJSON(10_000) + `, "s": ` + quoted(long[:200_000]) + `, "m": {` + quoted(long[:200_000]) + `: 1}}`},
		{"a long text among constants", "args.l.all(x, !(args.s in ['us', 'eu'])) && false || args.l.all(x, args.l.all(y, !(args.s in ['us', 'eu'])))", `{"l": ` + numbersJSON(10_000) + `, "s": ` + quoted(long) + `}`},
		{"an escaped text in a loop", "args.l.all(x, args.l.all(y, args.s != 'a'))", `{"l": ` + numbersJSON(10_000) + `, "s": ` + quoted(strings.Repeat(`\n`, 200_000)) + `}`},
		{"a number's digits in a loop", "args.l.all(x, args.l.all(y, args.n != 2))", `{"l": ` + numbersJSON(10_000) + `, "n": 1.` + strings.Repeat("0", 400_000) + `}`},
		{"a URL's query in a loop", "[url(args.u)].all(u, args.l.all(x, u.getQuery() != {}))", `{"l": ` + numbersJSON(10_000) + `, "u": "https://a/?` + strings.Repeat("a=b&", 9_000) + `"}`},
		{"time zones", "args.l.all(x, timestamp('2026-01-01T00:00:00Z').getHours(args.z) >= 0)", `{"l": ` + numbersJSON(50_000) + `, "z": "Europe/Vienna"}`},
		{"an error that prints its operand", "args.l.exists(x, [args].join() == '')", `{"l": ` + numbersJSON(90_000) + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustCompile(t, c.rule)
			a := argsOf(c.args)
			if err := a.Args.load(); err != nil {
				t.Fatal(err)
			}
			out := p.Eval(a, nil)
			if out.Kind != CostExceeded || out.Reason != CostLimit || out.Cost > PerEvaluationLimit {
				t.Errorf("%#v %q at %d, want CostExceeded", out.Kind, out.Reason, out.Cost)
			}
		})
	}
}

func countingJSON(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, i)
	}
	return b.String()
}

// TestLargeArgumentsAreAffordable has what must not be refused: one walk over the
// largest arguments that a call may have.
func TestLargeArgumentsAreAffordable(t *testing.T) {
	long := strings.Repeat("a", 500_000)
	for _, c := range []struct{ name, rule, args string }{
		{"a walk over texts", "args.l.all(x, x.startsWith('a'))", `{"l": ` + textsJSON(90_000, "ab") + `}`},
		{"a walk over numbers", "args.l.all(x, x <= 1)", `{"l": ` + numbersJSON(99_000) + `}`},
		{"a walk over objects", "args.l.all(x, x.n <= 1)", `{"l": [` + strings.TrimSuffix(strings.Repeat(`{"n":1},`, 45_000), ",") + `]}`},
		{"membership", "!(2 in args.l)", `{"l": ` + numbersJSON(99_000) + `}`},
		{"a pattern on a long text", "args.s.matches('^[a-z]+$')", `{"s": "` + long + `"}`},
		{"a text within a long one", "!args.s.contains('needle')", `{"s": "` + long + `"}`},
		{"a sum", "args.l.sum() == 99000", `{"l": ` + numbersJSON(99_000) + `}`},
		{"the beginning of a long text", "lists.range(1000).all(x, args.s.startsWith('a'))", `{"s": "` + long + `"}`},
		{"sorting", "args.l.sort() == args.l", `{"l": ` + numbersJSON(30_000) + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if out := mustCompile(t, c.rule).Eval(argsOf(c.args), nil); out.Kind != True {
				t.Errorf("%#v %q at %d", out.Kind, out.Reason, out.Cost)
			}
		})
	}
}

func TestBudgetIsShared(t *testing.T) {
	p := mustCompile(t, "lists.range(1000).all(x, x >= 0)")
	cost := p.Eval(&Activation{}, nil).Cost
	b := NewBudget(2*cost + cost/2)
	for i, want := range []Kind{True, True, CostExceeded, CostExceeded} {
		if out := p.Eval(&Activation{}, b); out.Kind != want {
			t.Errorf("evaluation %d: %#v, want %#v", i, out.Kind, want)
		}
	}
	if b.Left() != 0 {
		t.Errorf("%d is left", b.Left())
	}
	if left := NewBudget(1 << 63).Left(); left == 0 {
		t.Error("a huge budget is none")
	}
}

func TestReasonsHoldNoValue(t *testing.T) {
	secret := "s3cr3t"
	known := map[Reason]bool{
		NoReason: true, NoSuchKey: true, IndexOutOfRange: true, DivisionByZero: true, TypeMismatch: true, Overflow: true,
		BadPattern: true, EvaluationFailed: true, ArgumentsUnread: true, CostLimit: true, UnsupportedNumber: true, TextTooLong: true,
	}
	for _, rule := range []string{
		"{'a': 1}[args.s] == 1", "args[args.s] == 1", "int(args.s) == 1", "timestamp(args.s) == timestamp(args.s)",
		"quantity(args.s) == quantity('1')", "url(args.s) == url('a')", "[args].join() == ''", "args.s.matches('(' + args.s)",
		"cidr(args.s).prefixLength() == 1", "duration(args.s) > duration('1s')", "args.s.charAt(99) == ''", "[1][args.s] == 1",
		"args.s + 1 == 2", "args.s.format([args.s, args.s]) == ''", "'%d'.format([args.s]) == ''", "semver(args.s) == semver('1.0.0')",
		"lists.range(-1).size() == 0", "bytes(args.s) == 1", "args.s ? true : false", "!args.s", "args.s && true", "args.s.getFullYear() == 1",
	} {
		p, issues := Compile(rule, Options{Variables: RuleVariables})
		if p == nil {
			t.Logf("%s: %v", rule, issues)
			continue
		}
		out := p.Eval(argsOf(`{"s": "`+secret+`"}`), nil)
		if out.Kind != Failed && out.Kind != False || !known[out.Reason] || strings.Contains(string(out.Reason), secret) {
			t.Errorf("%s: %#v %q", rule, out.Kind, out.Reason)
		}
		t.Log(rule, out.Reason)
	}
}
