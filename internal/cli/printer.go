package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/shown"
)

// printer writes answers for people.
type printer struct {
	out           io.Writer
	allow, block  string
	green, red    string
	yellow, reset string
}

// newPrinter takes marks that the terminal can show, and color if it can have it
// and its user has not asked for none (no-color.org).
func newPrinter(d Deps) *printer {
	p := &printer{out: d.Out, allow: "[ok]", block: "[blocked]"}
	if isUTF8(d.Env) {
		p.allow, p.block = "✓", "✗"
	}
	if d.Terminal && d.Env("NO_COLOR") == "" && d.Env("TERM") != "dumb" {
		p.green, p.red, p.yellow, p.reset = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
	}
	return p
}

// isUTF8 reads the locale as POSIX has it: the first of these that is set decides.
func isUTF8(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(env(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}

func (p *printer) response(r *reviewv1alpha1.ToolCallReviewResponse) error {
	var b bytes.Buffer
	blocked := 0
	for i := range r.Results {
		if !r.Results[i].Allowed {
			blocked++
		}
		p.result(&b, &r.Results[i])
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "%swarning%s %s\n", p.yellow, p.reset, shown.Escape(w))
	}
	verdict := p.green + "allowed" + p.reset
	if !r.Allowed {
		verdict = fmt.Sprintf("%sblocked%s: %d of %d calls", p.red, p.reset, blocked, len(r.Results))
	}
	fmt.Fprintf(&b, "%s, by revision %s\n", verdict, shown.Escape(r.Revision))
	_, err := p.out.Write(b.Bytes())
	return err
}

func (p *printer) result(b *bytes.Buffer, r *reviewv1alpha1.ToolCallResult) {
	mark, colour := p.allow, p.green
	switch {
	case !r.Allowed:
		mark, colour = p.block, p.red
	case r.WouldBlock:
		colour = p.yellow
	}
	fmt.Fprintf(b, "%s%s%s %s  %s", colour, mark, p.reset, quoteEmpty(r.Name), r.Code)
	if r.WouldBlock {
		b.WriteString(", a policy without Deny would block it")
	}
	if r.ID != "" {
		fmt.Fprintf(b, "  (%s)", shown.Name(r.ID))
	}
	b.WriteByte('\n')
	p.errors(b, r)
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "    %swarning%s %s\n", p.yellow, p.reset, shown.Escape(w))
	}
	if len(r.Policies) > 0 {
		fmt.Fprintf(b, "    policies %s\n", shown.Escape(strings.Join(r.Policies, ", ")))
	}
}

// quoteEmpty shows that a name is there and empty.
func quoteEmpty(name string) string {
	if name == "" {
		return `""`
	}
	return shown.Escape(name)
}

// errors writes one line an error, with what is known of it beside.
func (p *printer) errors(b *bytes.Buffer, r *reviewv1alpha1.ToolCallResult) {
	// Errors and violations are in one order, one for one location, unless a cut
	// made two locations look the same.
	paired := len(r.Violations) == len(r.Errors)
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i, text := range r.Errors {
		beside := hint(r.Code)
		if paired {
			beside = explain(&r.Violations[i])
		}
		if beside == "" || len(r.Violations) > 0 && !paired {
			fmt.Fprintf(table, "    %s\n", shown.Escape(text))
			continue
		}
		fmt.Fprintf(table, "    %s\t%s\n", shown.Escape(text), shown.Escape(beside))
	}
	_ = table.Flush() // to a buffer, which does not fail
	if paired {
		return
	}
	for i := range r.Violations {
		fmt.Fprintf(b, "    %s\n", shown.Escape(explain(&r.Violations[i])))
	}
}

// explain is the message with what was expected and what was there, unless the
// message says so itself. Of an argument that should not be there, or is not, it
// says all there is.
func explain(v *reviewv1alpha1.Violation) string {
	if v.Code == "missing" || v.Code == "unexpected" || v.Code == "duplicate" {
		return v.Message
	}
	var facts []string
	if v.Expected != "" && !strings.Contains(v.Message, v.Expected) {
		facts = append(facts, "expected "+v.Expected)
	}
	if v.Actual != "" && !strings.Contains(v.Message, v.Actual) {
		facts = append(facts, "is "+v.Actual)
	}
	if len(facts) == 0 {
		return v.Message
	}
	return v.Message + " (" + strings.Join(facts, ", ") + ")"
}

// hint says what a code without violations means to whoever writes the policies.
func hint(code reviewv1alpha1.VerdictCode) string {
	switch code {
	case reviewv1alpha1.CodeMalformedCall:
		return "the call has no name, two names, or ambiguous keys"
	case reviewv1alpha1.CodeNoPolicy:
		return "no ToolPolicy of the caller's namespace selects it in spec.subjects"
	case reviewv1alpha1.CodeUnknownTool:
		return "not declared by these policies, or without a ToolSchema that they select"
	case reviewv1alpha1.CodeSchemaNotReady:
		return "its ToolSchema is not accepted: see the problems above"
	case reviewv1alpha1.CodePolicyError:
		return "the policy cannot be evaluated: see the problems above"
	default:
		return ""
	}
}
