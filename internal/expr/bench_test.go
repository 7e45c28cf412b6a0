package expr

import (
	"strings"
	"testing"
)

func BenchmarkCompile(b *testing.B) {
	args := ArgsTypeOf([]byte(payment), ClosedRoot)
	for name, opts := range map[string]Options{
		"dyn":   {Variables: RuleVariables},
		"typed": {Variables: RuleVariables, Args: args},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p, _ := Compile("args.amount <= 100 || caller.namespace == 'finance'", opts); p == nil {
					b.Fatal("no program")
				}
			}
		})
	}
	b.Run("type of a schema", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ArgsTypeOf([]byte(payment), ClosedRoot).env(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEval(b *testing.B) {
	small := `{"amount":50,"region":"eu","id":"TKT-104","items":[{"sku":"a","n":1},{"sku":"b","n":2}]}`
	large := `{"amount":50,"l":` + textsJSON(90_000, "ab") + `}`
	for _, c := range []struct{ name, rule, args string }{
		{"comparison", "args.amount <= 100 || caller.namespace == 'finance'", small},
		{"choice", "args.region in ['us', 'eu']", small},
		{"pattern", "args.id.matches('^TKT-[0-9]{3}$')", small},
		{"loop", "args.items.all(i, i.n <= 10 && i.sku != '')", small},
		{"one of many values", "args.amount <= 100", large},
		{"walk over 90,000 texts", "args.l.all(x, x.startsWith('a'))", large},
	} {
		p := mustCompile(b, c.rule)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			a := argsOf(c.args)
			for b.Loop() {
				if out := p.Eval(a, nil); out.Kind != True {
					b.Fatal(out)
				}
			}
		})
	}
}

// BenchmarkLimit is how long PerEvaluationLimit takes, for rules that reach it in
// different ways.
func BenchmarkLimit(b *testing.B) {
	long := strings.Repeat("a", 300_000)
	for _, c := range []struct{ name, rule, args string }{
		{"loops", "args.l.all(x, args.l.all(y, x == y))", `{"l":` + numbersJSON(10_000) + `}`},
		{"lists", "args.l.map(x, args.l.map(y, [x, y])).size() > 0", `{"l":` + numbersJSON(10_000) + `}`},
		{"equality", "args.l.all(x, args.l == args.l)", `{"l":` + numbersJSON(10_000) + `}`},
		{"patterns", "args.l.all(x, args.s.matches('(.*)(.*)(.*)x$') || true)", `{"l":` + numbersJSON(10_000) + `,"s":"` + long[:30_000] + `"}`},
		{"counted patterns", "args.l.all(x, args.s.matches('(.{1,1000})$') || true)", `{"l":` + numbersJSON(10_000) + `,"s":"` + long[:3_000] + `"}`},
		{"patterns compiled", "args.l.all(x, 'b'.matches(args.p) || true)", `{"l":` + numbersJSON(10_000) + `,"p":"(a{90}){10}|b"}`},
		{"texts", "args.l.all(x, args.s.lowerAscii() == args.s)", `{"l":` + numbersJSON(10_000) + `,"s":"` + long + `"}`},
		{"splits", "args.l.all(x, args.s.split('').size() > 1)", `{"l":` + numbersJSON(10_000) + `,"s":"` + long[:100_000] + `"}`},
		{"replaces", "args.l.all(x, args.s.replace('a', 'bb') != '')", `{"l":` + numbersJSON(10_000) + `,"s":"` + long[:100_000] + `"}`},
		{"errors", "args.l.exists(x, args.l.exists(y, args.m[args.k] == 1))", `{"l":` + numbersJSON(10_000) + `,"m":{},"k":"` + long[:4000] + `"}`},
		{"quantities", "args.l.all(x, quantity(args.q).isLessThan(quantity('1e50')))", `{"l":` + numbersJSON(90_000) + `,"q":"1.` + strings.Repeat("3", 90) + `"}`},
		{"addresses", "args.l.all(x, cidr('10.0.0.0/8').containsIP(args.h))", `{"l":` + numbersJSON(90_000) + `,"h":"10.1.2.3"}`},
		{"distinct", "args.l.all(x, args.l.distinct().size() > 0)", `{"l":[` + countingJSON(500) + `]}`},
		{"formats", "args.l.all(x, '%s'.format([args.s]) != '')", `{"l":` + numbersJSON(90_000) + `,"s":"` + long[:10_000] + `"}`},
	} {
		p := mustCompile(b, c.rule)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			a := argsOf(c.args)
			for b.Loop() {
				if out := p.Eval(a, nil); out.Kind != CostExceeded {
					b.Fatal(out)
				}
			}
		})
	}
}

// BenchmarkArgs is the first reading of arguments, which parses them.
func BenchmarkArgs(b *testing.B) {
	for name, raw := range map[string]string{
		"80 B":    `{"amount":50,"region":"eu","id":"TKT-104","items":[{"sku":"a","n":1},{"sku":"b"}]}`,
		"100,000": `{"l":` + textsJSON(99_998, "ab") + `}`,
		"512 KiB": `{"s":"` + strings.Repeat("a", 512<<10-10) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			in := []byte(raw)
			for b.Loop() {
				if err := NewArgs(in).load(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
