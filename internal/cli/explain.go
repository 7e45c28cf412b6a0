package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/callgate/callgate/internal/rbac"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/shown"
)

// explained adds to a trace what only the roles know: which binding grants.
func explained(trace *review.Trace, roles *rbac.Authorizer) *review.Trace {
	for i := range trace.Questions {
		trace.Questions[i].By, _ = roles.Grants(trace.Questions[i].Access)
	}
	return trace
}

// explanation writes how a verdict came about, after the verdict. Everything in it that
// comes from a model or a file is escaped once more here.
func (p *printer) explanation(t *review.Trace) error {
	if t == nil {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("\nHow it came about\n")
	explainWho(&b, t)
	for i, c := range t.Calls {
		explainCall(&b, i, c)
	}
	if t.Offer != nil {
		explainOffer(&b, t.Offer)
	}
	_, err := p.out.Write(b.Bytes())
	return err
}

// rows writes lines of up to three cells in columns, the last of which is free text.
type rows struct{ *tabwriter.Writer }

func newRows(w io.Writer) rows { return rows{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

// add writes a line, and more lines of its last cell.
func (r rows) add(indent int, label, outcome, detail string, more ...string) {
	if detail == "" && len(more) > 0 {
		detail, more = more[0], more[1:]
	}
	line := strings.Repeat(" ", indent) + shown.Escape(label)
	if outcome != "" || detail != "" {
		line += "\t" + shown.Escape(outcome)
	}
	if detail != "" {
		line += "\t" + shown.Escape(detail)
	}
	for _, text := range more {
		line += "\n\t\t" + shown.Escape(text)
	}
	_, _ = fmt.Fprintln(r, line) // to a buffer, which does not fail
}

func explainWho(b *bytes.Buffer, t *review.Trace) {
	r := newRows(b)
	who := t.For
	if who == "" {
		who = "nobody: the caller may not ask for another account"
	}
	r.add(2, "judged for", who, "")
	for _, p := range t.Policies {
		tenant := "no tenant"
		if p.Tenant != "" {
			tenant = "tenant " + p.Tenant
		}
		r.add(2, "policy "+p.Name, strings.Join(p.Actions, ", "), tenant+" from "+p.TenantFrom+", discloses "+p.Disclosure)
	}
	for _, name := range t.OtherPolicies {
		r.add(2, "policy "+name, "does not select it", "")
	}
	for _, q := range t.Questions {
		by := ""
		if q.By != "" {
			by = "by " + q.By
		}
		r.add(2, fmt.Sprintf("%s %s %s/%s", q.Verb, q.Resource, q.Namespace, q.Name), q.Answer, by)
	}
	_ = r.Flush()
}

func explainCall(b *bytes.Buffer, i int, c *review.TracedCall) {
	fmt.Fprintf(b, "\ncall %d  %s  %s", i+1, quoteEmpty(c.Name), c.Code)
	if c.Stage != "" {
		fmt.Fprintf(b, " in the stage %s", c.Stage)
	}
	if c.Detail != "" {
		fmt.Fprintf(b, ": %s", shown.Escape(c.Detail))
	}
	b.WriteByte('\n')
	r := newRows(b)
	for _, v := range c.Policies {
		r.add(2, "policy "+v.Policy, "", "")
		for _, s := range v.Stages {
			r.add(4, string(s.Stage), s.Outcome, s.Detail, s.Errors...)
			explainChecks(r, 6, s.Checks)
		}
	}
	if x := c.Execution; x != nil {
		detail := strings.Trim(x.Cause+": "+x.Detail, ": ")
		if x.Adapter != "" {
			detail = strings.TrimSuffix("ToolAdapter "+x.Adapter+": "+detail, ": ")
		}
		r.add(2, "execution", x.Outcome, detail)
	}
	_ = r.Flush()
}

func explainChecks(r rows, indent int, checks []review.TracedCheck) {
	for _, c := range checks {
		detail := c.Detail
		if c.Cost > 0 {
			detail = strings.TrimPrefix(fmt.Sprintf("%s, cost %d", detail, c.Cost), ", ")
		}
		r.add(indent, strings.TrimSpace(c.Kind+" "+c.Name), c.Outcome, detail)
	}
}

func explainOffer(b *bytes.Buffer, o *review.TracedOffer) {
	fmt.Fprintf(b, "\noffer  %s", o.ReasonCode)
	if o.Detail != "" {
		fmt.Fprintf(b, ": %s", shown.Escape(o.Detail))
	}
	b.WriteByte('\n')
	r := newRows(b)
	for _, name := range o.InvalidSchemas {
		r.add(2, quoteEmpty(name), review.OutcomeFailed, "its own schema does not compile")
	}
	for _, v := range o.Policies {
		r.add(2, "policy "+v.Policy, v.Outcome, v.Detail, v.Errors...)
		explainChecks(r, 4, v.Checks)
		for _, name := range v.UnreadyTools {
			r.add(4, quoteEmpty(name), review.OutcomeFailed, "declared, and its ToolSchema is not accepted")
		}
		for _, n := range v.Names {
			r.add(4, quoteEmpty(n.Name), n.Outcome, n.Detail)
			explainChecks(r, 6, n.Checks)
		}
		if v.Validator != nil {
			r.add(4, "validator", v.Validator.Outcome, v.Validator.Detail)
		}
	}
	_ = r.Flush()
}
