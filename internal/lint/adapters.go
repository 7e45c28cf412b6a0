package lint

import (
	"strings"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
)

// adapters takes over what compiling said of adapters, and what is wrong with their
// records.
func (l *linter) adapters() {
	for _, a := range l.in.Set.Adapters {
		name := types.NamespacedName{Namespace: a.Namespace, Name: a.Name}
		o := l.in.Output.Adapters[name]
		if o == nil {
			continue
		}
		key := manifest.Key{Kind: manifest.KindToolAdapter, Namespace: a.Namespace, Name: a.Name}
		for _, p := range o.Problems {
			l.expression(adapterProblem(o, p), key, p)
		}
		if o.RefReason == callgatev1alpha1.ReasonRefNotFound {
			l.add(ruleAdapterWithout, key, "/spec/toolName", o.RefMessage)
		}
		for _, p := range o.Warnings {
			l.expression(l.adapterWarning(a, p), key, p)
		}
		l.records(key, l.in.Records[name])
	}
}

func adapterProblem(o *compile.AdapterOutcome, p callgatev1alpha1.Problem) string {
	switch {
	case o.Reason == callgatev1alpha1.ReasonDuplicateToolName && path(p) == "/spec/toolName":
		return ruleAdapterDuplicate
	case o.RefReason == callgatev1alpha1.ReasonEndpointNotAllowed && strings.HasSuffix(o.RefMessage, ": "+p.Message):
		return ruleAdapterEndpoint
	}
	return ruleAdapterInvalid
}

func (l *linter) adapterWarning(a *callgatev1alpha1.ToolAdapter, p callgatev1alpha1.Problem) string {
	switch path(p) {
	case "/spec/key", "/spec/http/url":
		return ruleAdapterKey
	case "/spec/toolName":
		if ns := l.in.Output.Namespaces[a.Namespace]; ns != nil && ns.Tools[string(a.Spec.ToolName)].Ready() {
			return ruleAdapterNoResult
		}
	}
	return ruleAdapterWarning
}

// records tells of the ConfigMap of an adapter.
func (l *linter) records(key manifest.Key, r Records) {
	for _, p := range r.Problems {
		rule := ruleRecordsInvalid
		if r.Missing {
			rule = ruleRecordsMissing
		}
		l.add(rule, key, path(p), p.Message)
	}
}
