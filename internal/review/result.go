package review

import (
	"slices"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/jsonschema"
	"github.com/callgate/callgate/internal/shown"
)

// deniedResult is the block of the stage just judged: only in that one have
// policies with Deny failed. Its errors are the union over those policies.
func (c *call) deniedResult() reviewv1alpha1.ToolCallResult {
	var code reviewv1alpha1.VerdictCode
	var errors, policies []string
	for i := range c.views {
		v := &c.views[i]
		if !v.policy.Deny || !v.failed() {
			continue
		}
		// Both of the last stage's codes may be there: a no outweighs what could not be
		// found out.
		if code != reviewv1alpha1.CodeForbidden {
			code = v.code
		}
		errors = append(errors, v.errors...)
		policies = append(policies, v.policy.String())
	}
	result := c.blocked(code, errors, policies)
	if code == reviewv1alpha1.CodeInvalidArguments {
		result.Violations = wireViolations(c.violations)
	}
	return result
}

func (c *call) blocked(code reviewv1alpha1.VerdictCode, errors, policies []string) reviewv1alpha1.ToolCallResult {
	result := c.result(policies)
	result.Code = code
	result.Errors = sortedSet(errors)
	return result
}

func (c *call) allowedResult() reviewv1alpha1.ToolCallResult {
	result := c.result(c.all())
	result.Allowed, result.Code = true, reviewv1alpha1.CodeOK
	result.WouldBlock = slices.ContainsFunc(c.views, func(v view) bool { return v.failed() })
	return result
}

// result has what every result has; it denies. Its lists are never nil, so that
// clients always read lists.
func (c *call) result(policies []string) reviewv1alpha1.ToolCallResult {
	warnings := slices.Clone(c.Warnings)
	for i := range c.views {
		if v := &c.views[i]; v.policy.Warn && !v.policy.Deny {
			warnings = append(warnings, v.errors...)
		}
	}
	return reviewv1alpha1.ToolCallResult{
		ID:              c.ID,
		Name:            shown.Name(c.EffectiveName()),
		Errors:          []string{},
		Violations:      []reviewv1alpha1.Violation{},
		Warnings:        sortedSet(warnings),
		Policies:        sortedSet(policies),
		ArgumentsDigest: c.digest,
	}
}

func sortedSet(list []string) []string {
	set := append(make([]string, 0, len(list)), list...)
	slices.Sort(set)
	return slices.Compact(set)
}

func wireViolations(violations []jsonschema.Violation) []reviewv1alpha1.Violation {
	out := make([]reviewv1alpha1.Violation, 0, len(violations))
	for _, v := range violations {
		out = append(out, reviewv1alpha1.Violation{
			Path:     v.Pointer,
			Code:     string(v.Code),
			Keyword:  v.Keyword,
			Expected: v.Expected,
			Actual:   v.Actual,
			Message:  v.Message,
		})
	}
	return out
}

// audit gives what is to be recorded of the call besides its verdict: what policies
// with Audit found, one finding a code, and a name that passed undeclared.
func (c *call) audit(index int) []AuditFinding {
	byCode := map[reviewv1alpha1.VerdictCode]*AuditFinding{}
	var order []reviewv1alpha1.VerdictCode
	add := func(code reviewv1alpha1.VerdictCode, policy string, errors ...string) {
		f := byCode[code]
		if f == nil {
			f = &AuditFinding{Index: index, ID: shown.Name(c.ID), Name: shown.Name(c.name), Code: code}
			byCode[code] = f
			order = append(order, code)
		}
		f.Errors = append(f.Errors, errors...)
		f.Policies = append(f.Policies, policy)
	}
	for i := range c.views {
		v := &c.views[i]
		if v.failed() && v.policy.Audit {
			add(v.code, v.policy.String(), v.errors...)
		}
		if v.undeclared && !v.failed() {
			add(reviewv1alpha1.CodeOK, v.policy.String(), "undeclared_tool:"+shown.Name(c.name))
		}
	}
	findings := make([]AuditFinding, 0, len(order))
	for _, code := range order {
		f := byCode[code]
		f.Errors, f.Policies = sortedSet(f.Errors), sortedSet(f.Policies)
		findings = append(findings, *f)
	}
	return findings
}
