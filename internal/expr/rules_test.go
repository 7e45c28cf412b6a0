package expr

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// names of outcomes, as the table and the failures of tests show them.
var kindNames = map[Kind]string{
	Failed: "Failed", True: "True", False: "False", Produced: "Produced",
	CostExceeded: "CostExceeded", Unsupported: "Unsupported",
}

func (k Kind) GoString() string { return kindNames[k] }

type ruleCase struct {
	Name, Rule, Tenant string
	Args               json.RawMessage
	Tool               Tool
	Caller             Caller
	Context            struct {
		Tenant     string
		Attributes json.RawMessage
	}
	Want   string
	Reason Reason
}

func (c *ruleCase) activation() *Activation {
	a := &Activation{Tool: c.Tool, Caller: c.Caller, Tenant: c.Tenant, Context: Context{Tenant: c.Context.Tenant}}
	if c.Args != nil {
		a.Args = NewArgs(c.Args)
	}
	if c.Context.Attributes != nil {
		a.Context.Attributes = NewArgs(c.Context.Attributes)
	}
	return a
}

func rules(t testing.TB) []ruleCase {
	t.Helper()
	raw, err := os.ReadFile("testdata/rules.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []ruleCase
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func mustCompile(t testing.TB, source string) *Program {
	t.Helper()
	p, issues := Compile(source, Options{Variables: RuleVariables})
	if p == nil || len(issues) > 0 {
		t.Fatalf("Compile(%s): %v", source, issues)
	}
	return p
}

func argsOf(raw string) *Activation { return &Activation{Args: NewArgs([]byte(raw))} }

func TestRules(t *testing.T) {
	for _, c := range rules(t) {
		t.Run(c.Name, func(t *testing.T) {
			out := mustCompile(t, c.Rule).Eval(c.activation(), nil)
			if kindNames[out.Kind] != c.Want || out.Reason != c.Reason {
				t.Errorf("%s with %s: %#v %q, want %s %q", c.Rule, c.Args, out.Kind, out.Reason, c.Want, c.Reason)
			}
			if out.Allows() != (c.Want == "True") {
				t.Errorf("Allows() is %t", out.Allows())
			}
			if out.Cost == 0 || out.Cost > PerEvaluationLimit {
				t.Errorf("the cost is %d", out.Cost)
			}
		})
	}
}

func TestZeroValuesDeny(t *testing.T) {
	if (Outcome{}).Allows() {
		t.Error("the zero outcome allows")
	}
	var p *Program
	if p.Eval(&Activation{}, nil).Allows() {
		t.Error("no program allows")
	}
	if mustCompile(t, "true").Eval(nil, nil).Allows() {
		t.Error("no activation allows")
	}
	if out := mustCompile(t, "true").Eval(&Activation{}, &Budget{}); out.Kind != CostExceeded {
		t.Errorf("a zero budget gives %#v", out.Kind)
	}
	if p, issues := Compile("tenant == ''", Options{}); p != nil || len(issues) != 1 || issues[0].Kind != NotAllowed {
		t.Errorf("without options a variable may be read: %v", issues)
	}
}

func TestTexts(t *testing.T) {
	long := `{"a": "` + strings.Repeat("x", MaxTextBytes) + `"}`
	for _, c := range []struct {
		source, args, tenant, want string
		kind                       Kind
		reason                     Reason
	}{
		{`tenant + ":" + args.ticket_id`, `{"ticket_id": "TKT-104"}`, "alpha", "alpha:TKT-104", Produced, ""},
		{`args.a`, `{"a": "x"}`, "", "x", Produced, ""},
		{`args.a`, `{"a": 1}`, "", "", Failed, TypeMismatch},
		{`args.a`, `{}`, "", "", Failed, NoSuchKey},
		{`tenant + args.a`, long, "t", "", Failed, TextTooLong},
		{`tenant + args.a`, long, "", strings.Repeat("x", MaxTextBytes), Produced, ""},
	} {
		p, issues := Compile(c.source, Options{Result: Text, Variables: KeyVariables})
		if p == nil {
			t.Fatalf("%s: %v", c.source, issues)
		}
		a := argsOf(c.args)
		a.Tenant = c.tenant
		if out := p.Eval(a, nil); out.Text != c.want || out.Kind != c.kind || out.Reason != c.reason || out.Allows() {
			t.Errorf("%s: %#v %q, want %#v %q", c.source, out.Kind, out.Reason, c.kind, c.reason)
		}
	}
}
