package lint

import (
	"bytes"
	"encoding/json"
)

// FormatVersion is that of the JSON output. It changes when a member changes its meaning
// or goes away, not when one is added.
const FormatVersion = 1

type jsonReport struct {
	Version  int           `json:"version"`
	Findings []jsonFinding `json:"findings"`
	Summary  jsonSummary   `json:"summary"`
}

type jsonFinding struct {
	Rule          string `json:"rule"`
	Severity      string `json:"severity"`
	File          string `json:"file,omitempty"`
	Line          int    `json:"line,omitempty"`
	Column        int    `json:"column,omitempty"`
	Object        string `json:"object,omitempty"`
	Pointer       string `json:"pointer,omitempty"`
	SchemaPointer string `json:"schemaPointer,omitempty"`
	Message       string `json:"message"`
}

type jsonSummary struct {
	Objects  int `json:"objects"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

// JSON writes the result as one JSON object.
func (r Result) JSON() ([]byte, error) {
	count := CountOf(r.Findings)
	report := jsonReport{
		Version: FormatVersion, Findings: make([]jsonFinding, 0, len(r.Findings)),
		Summary: jsonSummary{r.Objects, count.Errors, count.Warnings, count.Notes},
	}
	for _, f := range r.Findings {
		report.Findings = append(report.Findings, jsonFinding{
			Rule: f.Rule, Severity: f.Severity.String(), File: f.File, Line: f.Line, Column: f.Column,
			Object: f.Object, Pointer: f.Pointer, SchemaPointer: f.SchemaPointer, Message: f.Message,
		})
	}
	return indented(report)
}

type jsonRule struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Help     string `json:"help"`
}

// RulesJSON writes the list of all rules.
func RulesJSON() ([]byte, error) {
	list := make([]jsonRule, 0, len(rules))
	for _, r := range rules {
		list = append(list, jsonRule{r.ID, r.Severity.String(), r.Summary, r.Help})
	}
	return indented(struct {
		Version int        `json:"version"`
		Rules   []jsonRule `json:"rules"`
	}{FormatVersion, list})
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
