package adapter

import (
	"fmt"
	"strings"
	"testing"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/expr"
	"github.com/callgate/callgate/internal/jsonschema"
)

const store = `{
	"alpha:TKT-104": {"id": "TKT-104", "title": "Settings crash", "status": "open", "internal": "secret-note"},
	"beta:TKT-104": {"id": "TKT-104", "title": "Private billing issue", "status": "closed", "tenant": "beta"}
}`

// The eight fixtures of the seed, with the stages before the execution as the engine has
// them.
func TestTheSeedsFixtures(t *testing.T) {
	schema, problems, _ := jsonschema.Compile([]byte(`{"type":"object","properties":{"ticket_id":{"type":"string","pattern":"^TKT-[0-9]{3}$"}},
		"required":["ticket_id"],"additionalProperties":false}`), jsonschema.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	rule, issues := expr.Compile("context.attributes.canReadTickets", expr.Options{Variables: expr.RuleVariables})
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	a := compiled(t, Options{}, records(ticketKey))
	e := executor(t, func(o *Settings) { o.ConfigMaps = ticketMap(store) })
	run := func(uid, tool, args, tenant string, canRead bool) (result, code string) {
		if tool != a.ToolName() {
			return "", "unknown_tool"
		}
		if !schema.Judge(jsonschema.Input{Raw: []byte(args)}).OK() {
			return "", "invalid_arguments"
		}
		canonical, _ := schema.Canonical(nil, jsonschema.Input{Raw: []byte(args)})
		c := call(t, a, func(c *Call) {
			c.UID, c.Arguments, c.Activation.Tenant = uid, canonical, tenant
			c.Activation.Context.Attributes = expr.NewArgs(fmt.Appendf(nil, `{"canReadTickets":%t}`, canRead))
		})
		if !rule.Eval(c.Activation, nil).Allows() {
			return "", "forbidden"
		}
		got := e.Execute(t.Context(), c)
		return string(got.Result), string(got.Code)
	}
	for i, tc := range []struct {
		tool, args, tenant string
		canRead            bool
		result, code       string
	}{
		{"get_ticket", `{"ticket_id":"TKT-104"}`, "alpha", true, `{"id":"TKT-104","title":"Settings crash","status":"open"}`, "ok"},
		{"get_ticket", `{"ticket_id":"TKT-104"}`, "beta", true, `{"id":"TKT-104","title":"Private billing issue","status":"closed"}`, "ok"},
		{"get_ticket", `{"ticket_id":"TKT-999"}`, "alpha", true, "", "not_found"},
		{"get_ticket", `{"ticket_id":"TKT-104"}`, "alpha", false, "", "forbidden"},
		{"delete_ticket", `{"ticket_id":"TKT-104"}`, "alpha", true, "", "unknown_tool"},
		{"get_ticket", `{"ticket_id":104}`, "alpha", true, "", "invalid_arguments"},
		{"get_ticket", `{"ticket_id":"TKT-104","tenant":"beta"}`, "alpha", true, "", "invalid_arguments"},
		{"get_ticket", `null`, "alpha", true, "", "invalid_arguments"},
	} {
		result, code := run(fmt.Sprint("fixture-", i), tc.tool, tc.args, tc.tenant, tc.canRead)
		if result != tc.result || code != tc.code {
			t.Errorf("fixture %d: got %s %s, want %s %s", i+1, code, result, tc.code, tc.result)
		}
	}
}

// A schema that lets everything through: what a model writes stays the end of a key of
// its own tenant.
func TestKeysCannotBeInjected(t *testing.T) {
	a := compiled(t, Options{}, records(ticketKey))
	e := executor(t, func(o *Settings) {
		o.ConfigMaps = ticketMap(`{"alpha:TKT-104":{"id":"a"},"beta:TKT-104":{"id":"secret"},"alpha:":{"id":"empty"},"alpha:é":{"id":"composed"},"alpha:x\u0000y":{"id":"nul"}}`)
	})
	for i, tc := range []struct{ args, want string }{
		{`{"ticket_id":"TKT-104"}`, `{"id":"a"}`},
		{`{"ticket_id":"TKT\u002d104"}`, `{"id":"a"}`},
		{`{"ticket_id":""}`, `{"id":"empty"}`},
		{`{"ticket_id":"x\u0000y"}`, `{"id":"nul"}`},
		{`{"ticket_id":"\u00e9"}`, `{"id":"composed"}`},
		{`{"ticket_id":"alpha:TKT-104"}`, ""},
		{`{"ticket_id":"beta:TKT-104"}`, ""},
		{`{"ticket_id":"TKT-104 "}`, ""},
		{`{"ticket_id":"tkt-104"}`, ""},
		{`{"ticket_id":"TKT-104\u0000"}`, ""},
		{`{"ticket_id":"../beta:TKT-104"}`, ""},
		{`{"ticket_id":"TKT-104\",\"beta:TKT-104"}`, ""},
		{`{"ticket_id":"\" + \"x"}`, ""},
		{`{"ticket_id":"*"}`, ""},
		{`{"ticket_id":"e\u0301"}`, ""},
		{`{"ticket_id":"` + strings.Repeat("x", 6<<10) + `"}`, ""},
		{`{"ticket_id":7}`, ""},
		{`{"ticket_id":null}`, ""},
		{`{"ticket_id":["TKT-104"]}`, ""},
		{`{}`, ""},
	} {
		got := e.Execute(t.Context(), call(t, a, uid(fmt.Sprint(i)), arguments(tc.args)))
		if string(got.Result) != tc.want || tc.want == "" && got.Code != "not_found" {
			t.Errorf("%.60s: got %+v, want %s", tc.args, got, tc.want)
		}
		if strings.Contains(got.Detail, "TKT") {
			t.Errorf("%.60s: the detail is %q", tc.args, got.Detail)
		}
	}
}

func TestRecordsThatCannotBeRead(t *testing.T) {
	one := func(text string, change ...func(*ConfigMap)) *configMaps {
		maps := ticketMap(text)
		cm := maps.items["support/tickets"]
		for _, f := range change {
			f(&cm)
		}
		maps.items["support/tickets"] = cm
		return maps
	}
	label := func(value string) func(*ConfigMap) {
		return func(cm *ConfigMap) { cm.Labels = map[string]string{RecordsLabel: value} }
	}
	const notFound, notPermitted, invalidRef = callgatev1alpha1.ReasonRefNotFound, callgatev1alpha1.ReasonRefNotPermitted, callgatev1alpha1.ReasonInvalidRef
	const ok = `{"alpha:TKT-104":{"id":1}}`
	for name, tc := range map[string]struct {
		maps   *configMaps
		want   Cause
		status string
	}{
		"sound":                    {one(ok), "", ""},
		"no ConfigMap":             {&configMaps{}, CauseNoConfigMap, notFound},
		"nobody can tell":          {&configMaps{err: errStub}, CauseNoConfigMap, notFound},
		"no label":                 {one(ok, func(cm *ConfigMap) { cm.Labels = nil }), CauseNotLabelled, notPermitted},
		"label false":              {one(ok, label("false")), CauseNotLabelled, notPermitted},
		"label True":               {one(ok, label("True")), CauseNotLabelled, notPermitted},
		"no key":                   {one(ok, func(cm *ConfigMap) { cm.Data = map[string]string{"other": ok} }), CauseNoConfigMap, notFound},
		"no JSON":                  {one(`alpha: x`), CauseBadRecords, invalidRef},
		"a list":                   {one(`[]`), CauseBadRecords, invalidRef},
		"empty":                    {one(``), CauseBadRecords, invalidRef},
		"no records":               {one(`{}`), CauseNoRecord, ""},
		"too deep":                 {one(`{"alpha:TKT-104":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`), CauseBadRecords, invalidRef},
		"too many":                 {one(`{` + strings.Repeat(`"a":0,`, maxRecords) + `"alpha:TKT-104":{"id":1}}`), CauseBadRecords, invalidRef},
		"too large":                {one(`{"x":"` + strings.Repeat("x", maxRecordsBytes) + `"}`), CauseBadRecords, invalidRef},
		"its key twice":            {one(`{"alpha:TKT-104":{"id":1},"alpha:\u0054KT-104":{"id":1}}`), CauseAmbiguous, invalidRef},
		"another key twice":        {one(`{"alpha:TKT-104":{"id":1},"x":1,"x":2}`), "", invalidRef},
		"twice in the record":      {one(`{"alpha:TKT-104":{"id":1,"id":2}}`), CauseAmbiguous, ""},
		"twice in another record":  {one(`{"alpha:TKT-104":{"id":1},"x":{"id":1,"id":2}}`), "", ""},
		"no object":                {one(`{"alpha:TKT-104":"x"}`), CauseBadRecord, ""},
		"null":                     {one(`{"alpha:TKT-104":null}`), CauseBadRecord, ""},
		"half a surrogate pair":    {one(`{"alpha:TKT-104":{"id":"\ud800"}}`), CauseBadRecord, ""},
		"half a pair in its key":   {one(`{"alpha:TKT-104\ud800":{"id":1}}`), CauseNoRecord, invalidRef},
		"half a pair, another key": {one(`{"alpha:TKT-104":{"id":1},"\ud800":{"id":1}}`), "", invalidRef},
	} {
		a := compiled(t, Options{}, records(ticketKey))
		e := executor(t, func(o *Settings) { o.ConfigMaps = tc.maps })
		got := e.Execute(t.Context(), call(t, a))
		if got.Cause != tc.want || (tc.want == "") != got.OK() || strings.Contains(fmt.Sprint(got), "secret") {
			t.Errorf("%s: got %+v, want %q", name, got, tc.want)
		}
		if want := "upstream_error"; tc.want != "" && tc.want != CauseNoRecord && string(got.Code) != want {
			t.Errorf("%s: the code is %s", name, got.Code)
		}
		cm, found, _ := tc.maps.ConfigMap(t.Context(), "support", "tickets")
		problems := a.CheckConfigMap(cm, found)
		if tc.status == "" && problems != nil || tc.status != "" && (len(problems) != 1 || problems[0].Reason != tc.status) {
			t.Errorf("%s: the status is %v, want %s", name, problems, tc.status)
		}
	}
	if got := executor(t).Execute(t.Context(), call(t, compiled(t, Options{}, records(ticketKey)))); got.Cause != CauseNoConfigMap {
		t.Errorf("without a reader: got %+v", got)
	}
}

func TestOneParsingForEachVersion(t *testing.T) {
	s := newTables(2, 1<<20)
	key := tableKey{"support", "tickets", "tickets.json"}
	first := s.of(key, `{"a":{}}`)
	if s.of(key, strings.Clone(`{"a":{}}`)) != first {
		t.Error("the same text was parsed again")
	}
	second := s.of(key, `{"b":{}}`)
	if _, cause := second.get("a"); second == first || cause != CauseNoRecord {
		t.Error("the old version is still read")
	}
	for i := range 5 {
		s.of(tableKey{name: fmt.Sprint(i)}, `{}`)
	}
	if s.order.Len() != 2 || len(s.items) != 2 {
		t.Errorf("%d tables are kept", s.order.Len())
	}
	s.of(tableKey{name: "large"}, `{"x":"`+strings.Repeat("x", 600<<10)+`"}`)
	if s.order.Len() != 0 || s.bytes != 0 {
		t.Errorf("%d tables of %d bytes are kept", s.order.Len(), s.bytes)
	}
}
