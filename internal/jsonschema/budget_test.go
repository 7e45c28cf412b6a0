package jsonschema

import (
	"fmt"
	"strings"
	"testing"
)

func compiled(t *testing.T, document string, o Options) *Compiled {
	t.Helper()
	c, problems, _ := Compile([]byte(document), o)
	if c == nil || len(problems) > 0 {
		t.Fatalf("%s does not compile: %+v", document, problems)
	}
	return c
}

// A pattern that runs out of steps has not said no. Wherever a no would open
// something, the value has to be blocked.
func TestOverrunNeverOpens(t *testing.T) {
	a := strings.Repeat("a", 40)
	truly := strings.Repeat("a", 30) + "c"
	const hard, twice = `(?=(a+)+b)c`, `^(?:(?=(a+)+b)a|a*c)$`
	for name, tc := range map[string]struct{ schema, arguments string }{
		"one argument disarms the next": {
			`{"properties":{"note":{"type":"array","items":{"type":"string","not":{"pattern":"` + hard + `"}}},
			  "path":{"type":"string","not":{"pattern":"(?:^|/)\\.\\.(?=/|$)"}}}}`,
			`{"note":["` + a + `","` + a + `","` + a + `","` + a + `"],"path":"../../etc/passwd"}`},
		"padding": {
			`{"properties":{"path":{"not":{"pattern":"(?:^|/)\\.\\.(?=/|$)"}}}}`,
			`{"path":"` + strings.Repeat("x", 400_000) + `/../etc"}`},
		"not":               {`{"properties":{"v":{"not":{"pattern":"` + twice + `"}}}}`, `{"v":"` + truly + `"}`},
		"if":                {`{"properties":{"v":{"if":{"pattern":"` + twice + `"},"then":{"maxLength":1}}}}`, `{"v":"` + truly + `"}`},
		"oneOf":             {`{"properties":{"v":{"oneOf":[{"pattern":"` + twice + `"},{"minLength":1}]}}}`, `{"v":"` + truly + `"}`},
		"not contains":      {`{"properties":{"v":{"not":{"contains":{"pattern":"` + twice + `"}}}}}`, `{"v":["` + truly + `"]}`},
		"not propertyNames": {`{"properties":{"v":{"not":{"propertyNames":{"pattern":"` + twice + `"}}}}}`, `{"v":{"` + truly + `":1}}`},
		"patternProperties": {`{"properties":{"v":{"patternProperties":{"` + twice + `":{"type":"integer"}}}}}`, `{"v":{"` + truly + `":"x"}}`},
		"a plain pattern":   {`{"properties":{"v":{"pattern":"` + twice + `"}}}`, `{"v":"` + truly + `"}`},
	} {
		for _, o := range []Options{{}, {Undeclared: FollowSchema}, {NullsAbsent: true}} {
			t.Run(fmt.Sprintf("%s/%v", name, o.Undeclared), func(t *testing.T) {
				if r := compiled(t, tc.schema, o).Judge(Input{Raw: []byte(tc.arguments)}); r.OK() {
					t.Error("allowed")
				}
			})
		}
	}
}

// Values that are judged for one answer share what they may cost.
func TestBudgetIsSharedByTheValuesOfAReview(t *testing.T) {
	var branches []string
	for i := range 1000 {
		branches = append(branches, fmt.Sprintf(`{"type":"object","required":["x%d"]}`, i))
	}
	c := compiled(t, `{"properties":{"x":{"type":"array","items":{"anyOf":[`+strings.Join(branches, ",")+`]}}}}`, Options{})
	costly := Input{Raw: []byte(`{"x":[` + strings.Repeat("{},", 100) + `{}]}`), Budget: NewBudget()}
	judged := 0
	for range 20 {
		if r := c.Judge(costly); r.OK() {
			t.Fatal("allowed")
		} else if r.Judged {
			judged++
		}
	}
	if judged == 0 || judged > 6 {
		t.Errorf("%d of 20 costly values were judged, want the first few", judged)
	}
	if !costly.Budget.Exhausted() {
		t.Error("the budget does not tell that it is exhausted")
	}
	// A cheap value has nothing to do with it once it has a budget of its own.
	if r := c.Judge(Input{Raw: []byte(`{"x":[]}`)}); !r.OK() {
		t.Errorf("a cheap value: %+v", r)
	}
}

func TestReportIsBounded(t *testing.T) {
	c := compiled(t, `{"properties":{"x":{"type":"array","items":{"enum":[`+strings.TrimSuffix(strings.Repeat(`"aaaaaaaa",`, 1)+`"b"`, ",")+`]}}}}`, Options{})
	in := Input{Raw: []byte(`{"x":[` + strings.Repeat("1,", 5000) + `1]}`), Budget: NewBudget()}
	bytes, calls := 0, 0
	for range 128 {
		r := c.Judge(in)
		if len(r.Violations) == 0 {
			t.Fatal("a blocked value without a violation")
		}
		calls++
		for _, v := range r.Violations {
			bytes += v.size()
		}
	}
	if limit := reviewReport + calls*1024; bytes > limit {
		t.Errorf("%d bytes reported over %d values, the bound is %d", bytes, calls, limit)
	}
}

// Where the small budget is enough, it gives what the whole one gives.
func TestSmallBudgetSaysTheSame(t *testing.T) {
	c := compiled(t, `{"properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"type":"string"}}},"required":["a"]}`, Options{})
	for _, raw := range []string{`{}`, `{"a":1}`, `{"a":"x","b":[1,2],"c":3}`, `{`} {
		small, whole := NewSmallBudget(), NewBudget()
		x := c.Judge(Input{Raw: []byte(raw), Budget: small})
		y := c.Judge(Input{Raw: []byte(raw), Budget: whole})
		if small.Exhausted() || fmt.Sprint(x) != fmt.Sprint(y) {
			t.Errorf("%s: %+v with the small budget, %+v with the whole", raw, x, y)
		}
	}
}

// Bounded repetitions are large patterns and cheap ones: lists of ordinary strings must
// not be too costly to judge by them.
func TestLargePatternsOnOrdinaryLists(t *testing.T) {
	for name, tc := range map[string]struct {
		pattern, text string
		n             int
	}{
		"text without tags": {`^[^<>]{1,1000}$`, strings.Repeat("word ", 180), 300},
		"a path":            {`^(/[^/]{1,100}){1,10}$`, strings.Repeat("/part-of-a-path", 10), 1000},
		"a line":            {`^.{1,500}$`, strings.Repeat("x", 400), 700},
		"an email address":  {`^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,255}\.[A-Za-z]{2,63}$`, "somebody.somewhere@example.org", 5000},
		"a DNS name":        {`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`, "web-0.web.default.svc", 10_000},
		"an IPv4 address":   {`^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])$`, "192.168.100.200", 10_000},
		"a long text":       {`^.{1,1000}`, strings.Repeat("x", 300_000), 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := compiled(t, `{"properties":{"l":{"type":"array","items":{"pattern":"`+strings.ReplaceAll(tc.pattern, `\`, `\\`)+`"}}}}`, Options{})
			raw := `{"l":["` + strings.TrimSuffix(strings.Repeat(tc.text+`","`, tc.n), `,"`) + `]}`
			if r := c.Judge(Input{Raw: []byte(raw)}); !r.OK() {
				t.Errorf("%d strings of %d bytes: fault %q, %d violations", tc.n, len(tc.text), r.Fault, len(r.Violations))
			}
		})
	}
}

// A review must not pay twice, nor outside its budget, for what is costly about a value.
func TestCanonicalFormHasNoBudgetOfItsOwn(t *testing.T) {
	c := compiled(t, `{"type":"object","properties":{"x":{"type":"string"}},"patternProperties":{"^(?=a)(a+)+b":{"type":"string"}},"additionalProperties":false}`,
		Options{NullsAbsent: true})
	var keys strings.Builder
	for i := range 6 {
		fmt.Fprintf(&keys, `,"%s%d":null`, strings.Repeat("a", 40), i)
	}
	in := Input{Raw: []byte(`{"x":1` + keys.String() + `}`), Budget: NewSmallBudget()}
	if r := c.Judge(in); r.Fault != TooCostly || !in.Budget.Exhausted() {
		t.Errorf("%+v, want too_costly", r)
	}
	if _, ok := c.Canonical(nil, in); ok {
		t.Error("an exhausted budget gave a canonical form")
	}
}

// What is compared is copied, at every level of a nest of lists.
func TestUniqueItemsArePaidFor(t *testing.T) {
	c := compiled(t, `{"properties":{"l":{"$ref":"#/definitions/l"}},"definitions":{"l":{"type":["array","string","integer"],"uniqueItems":true,"items":{"$ref":"#/definitions/l"}}}}`, Options{})
	raw := `{"l":` + strings.Repeat("[1,", 100) + `"` + strings.Repeat("x", 400_000) + `"` + strings.Repeat("]", 100) + `}`
	in := Input{Raw: []byte(raw), Budget: NewSmallBudget()}
	if c.Judge(in); !in.Budget.Exhausted() {
		t.Error("forty megabytes of copies fit the small budget")
	}
}
