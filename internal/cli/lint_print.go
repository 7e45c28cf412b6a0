package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/callgate/callgate/internal/lint"
)

// lintPrinter writes findings for people.
type lintPrinter struct{ *printer }

func newLintPrinter(d Deps) lintPrinter { return lintPrinter{newPrinter(d)} }

// findings writes one line each, as editors and terminals link it, and the count last.
func (p lintPrinter) findings(r lint.Result) []byte {
	var b bytes.Buffer
	for _, f := range r.Findings {
		if at := f.Position; at.File != "" {
			b.WriteString(at.String() + ": ")
		}
		fmt.Fprintf(&b, "%s%s%s: %s [%s]\n", p.colour(f.Severity), f.Severity, p.reset, f.Text(), f.Rule)
	}
	count := lint.CountOf(r.Findings)
	if len(r.Findings) == 0 {
		fmt.Fprintf(&b, "%sclean%s: %s read\n", p.green, p.reset, plural(r.Objects, "object"))
		return b.Bytes()
	}
	fmt.Fprintf(&b, "%s, %s, %s; %s read\n", plural(count.Errors, "error"), plural(count.Warnings, "warning"), plural(count.Notes, "note"), plural(r.Objects, "object"))
	return b.Bytes()
}

func (p lintPrinter) colour(s lint.Severity) string {
	switch s {
	case lint.Note:
		return ""
	case lint.Warning:
		return p.yellow
	}
	return p.red
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// rules writes what each rule means.
func (p lintPrinter) rules() []byte {
	var b bytes.Buffer
	for i, r := range lint.Rules() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s (%s%s%s)\n    %s.\n%s", r.ID, p.colour(r.Severity), r.Severity, p.reset,
			strings.ToUpper(r.Summary[:1])+r.Summary[1:], wrapped(r.Help, "    ", 96))
	}
	return b.Bytes()
}

// wrapped breaks a text into indented lines of at most so many letters, where words allow.
func wrapped(text, indent string, width int) string {
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}

func lintExamples(d Deps) string {
	return named(d, `  # Everything in a directory, as a pull request would be checked
  CALLGATE lint -f policies/ --fail-on warning

  # What kustomize or Helm makes of it
  kustomize build overlays/production | CALLGATE lint -f -

  # Will OpenAI's strict mode and Anthropic take these tools?
  CALLGATE lint -f policies/ --provider openai-strict --provider anthropic

  # For code scanning, and for annotations of a pull request
  CALLGATE lint -f policies/ -o sarif > callgate.sarif
  CALLGATE lint -f policies/ -o github

  # What the rules mean
  CALLGATE lint --rules`)
}
