package lint

import (
	"slices"

	"github.com/callgate/callgate/internal/manifest"
)

// Rule is one kind of finding.
type Rule struct {
	// ID never changes its meaning.
	ID string
	// Severity is that of its findings unless the user says otherwise.
	Severity Severity
	// Summary says what is found.
	Summary string
	// Help says why it matters and what to do.
	Help string
}

// Rules lists all rules, sorted by ID.
func Rules() []Rule { return slices.Clone(rules) }

// Lookup finds a rule by its ID.
func Lookup(id string) (Rule, bool) {
	i, ok := slices.BinarySearchFunc(rules, id, func(r Rule, id string) int {
		switch {
		case r.ID < id:
			return -1
		case r.ID > id:
			return 1
		}
		return 0
	})
	if !ok {
		return Rule{}, false
	}
	return rules[i], true
}

// The rules of what compiling says, and of what is looked for here. Those of reading
// files are internal/manifest's.
const (
	ruleSchemaDocument    = "schema-document"
	ruleSchemaDialect     = "schema-dialect"
	ruleSchemaReference   = "schema-reference"
	ruleSchemaPattern     = "schema-pattern"
	ruleSchemaOpenBranch  = "schema-open-branch"
	ruleSchemaIdentifier  = "schema-identifier"
	ruleSchemaKeyword     = "schema-keyword"
	ruleDuplicateToolName = "duplicate-tool-name"
	ruleIgnoredKeyword    = "ignored-keyword"
	ruleSlowPattern       = "slow-pattern"
	ruleUnknownFormat     = "unknown-format"
	ruleNoArguments       = "no-arguments"
	ruleUndeclaredNeeded  = "undeclared-required"
	ruleSlowJudge         = "slow-judge"
	ruleDroppedNull       = "dropped-null"
	ruleLostInApply       = "lost-in-apply"
	ruleSchemaWarning     = "schema-warning"

	ruleSelectorInvalid  = "selector-invalid"
	ruleRuleInvalid      = "rule-invalid"
	rulePolicyInvalid    = "policy-invalid"
	ruleNoCommonTool     = "no-common-tool"
	ruleNeverBlocks      = "never-blocks"
	ruleToolWithout      = "tool-without-schema"
	ruleToolNotSelected  = "tool-not-selected"
	ruleSelectorEmpty    = "selector-selects-nothing"
	ruleTenantLabel      = "tenant-label-missing"
	ruleNamespaceUnknown = "namespace-unknown"
	ruleRBACWithout      = "rbac-without-schema"
	ruleAlwaysTrue       = "rule-always-true"
	ruleAlwaysFalse      = "rule-always-false"
	ruleArgument         = "rule-argument"
	ruleNeverApplies     = "rule-never-applies"
	rulePolicyWarning    = "policy-warning"

	ruleAdapterInvalid   = "adapter-invalid"
	ruleAdapterEndpoint  = "adapter-endpoint"
	ruleAdapterDuplicate = "adapter-duplicate"
	ruleAdapterWithout   = "adapter-without-schema"
	ruleAdapterNoResult  = "adapter-without-result"
	ruleAdapterKey       = "adapter-key"
	ruleAdapterWarning   = "adapter-warning"
	ruleRecordsMissing   = "records-missing"
	ruleRecordsInvalid   = "records-invalid"

	ruleNoObjects      = "no-objects"
	ruleUnconstrained  = "unconstrained-argument"
	ruleOpenArguments  = "open-arguments"
	ruleOpenObject     = "open-object"
	ruleSelectsNobody  = "policy-selects-nobody"
	ruleUnknownAccount = "unknown-service-account"
	ruleConfusable     = "confusable-names"
	ruleOddName        = "odd-name"
	ruleMisspelt       = "misspelt-keyword"
	ruleUnknownKeyword = "unknown-keyword"
	ruleUnusedSchema   = "unused-schema"

	ruleProviderName   = "provider-name"
	ruleProviderKey    = "provider-key"
	ruleProviderSchema = "provider-schema"
	ruleProviderLimit  = "provider-limit"
)

var rules = slices.SortedFunc(slices.Values(slices.Concat(fileRules, schemaRules, policyRules, adapterRules, providerRules)), func(a, b Rule) int {
	if a.ID < b.ID {
		return -1
	}
	return 1
})

var fileRules = []Rule{
	{manifest.RuleUnreadable, Error, "a file or directory cannot be read", "Nobody can tell what it holds, so the command ends with 2. Mend the path or its permissions."},
	{manifest.RuleTooLarge, Error, "a file, document or object is over a bound", "The API server refuses it, or reading it would cost more than any manifest is worth. Split it."},
	{manifest.RuleNotText, Error, "the bytes are not UTF-8 text", "Manifests are text; this looks like another kind of file, or another encoding."},
	{manifest.RuleSyntax, Error, "neither YAML nor JSON", "Nothing of the document can be used until its syntax is mended."},
	{manifest.RuleDocumentMarker, Error, "documents that kubectl reads otherwise or not at all", "Put --- on a line of its own, and no other end marker."},
	{manifest.RuleDuplicateKey, Error, "a key occurs twice in one object", "Readers differ on which of them counts, and the API server refuses both. Keep one."},
	{manifest.RuleNotANumber, Error, "a number that JSON or the API server cannot hold", "Quote it if it is text; a JSON Schema may have a huge number in spec.parametersJSON."},
	{manifest.RuleNotAnObject, Error, "a document that is no Kubernetes object", "Every document needs apiVersion and kind. Where a directory holds other files too, name those that are meant."},
	{manifest.RuleUnknownKind, Error, "a kind or version of callgate.dev that there is not", "Check the spelling; this version has ToolPolicy, ToolSchema and ToolAdapter in v1alpha1."},
	{manifest.RuleUnknownField, Error, "a field that the kind does not have", "kubectl refuses it under strict validation, and a server that does not would drop it without a word. Check spelling and indentation."},
	{manifest.RuleMissingField, Error, "a required field is absent or null", "Set it. Nothing opens by being left out."},
	{manifest.RuleWrongType, Error, "a value of another type than the field has", "Write the type that the field wants; quote what YAML would read as a number or a boolean."},
	{manifest.RuleUnsupportedValue, Error, "none of the values that the field may have", "The message lists them; case counts."},
	{manifest.RuleDuplicateItem, Error, "an item occurs twice in a set", "Keep one of them."},
	{manifest.RuleInvalidValue, Error, "a value breaks a bound or a pattern", "The message says what the API server wants."},
	{manifest.RuleCEL, Error, "a validation rule of the kind says no", "The message says which fields do not go together."},
	{manifest.RuleDuplicateObject, Error, "one object is in the files twice", "Which of them is in force would depend on the order of applying. Keep one."},
	{manifest.RuleConfiguration, Error, "a gateway's configuration that cannot be taken over as it is", "Mend the configuration, or import it and change the objects."},
	{manifest.RuleMore, Error, "there are more problems than are listed", "Mend those that are listed first."},
	{manifest.RuleYAMLKey, Warning, "a key that YAML 1.1 reads as a boolean or a number", "A property that is called on, y or n becomes \"true\" or \"false\" in the cluster, and calls that use it are blocked as unexpected. Quote the key."},
	{manifest.RuleYAMLValue, Warning, "a value that YAML 1.1 reads as something else", "yes, no, on, off, y and n are booleans, 0755 is an octal number. Quote the value, or write what it stands for."},
	{manifest.RuleRoundedNumber, Warning, "a number that is stored or applied as another one", "The API server keeps 64 bits, and kubectl's client-side apply only 53 of an integer. A bound would be another than the one in the file; spec.parametersJSON keeps numbers as they are written."},
	{manifest.RulePassedOver, Note, "an object that decides nothing here", "Callgate reads its own kinds, Namespaces, ConfigMaps and RBAC."},
	{manifest.RuleDirectoryLink, Note, "a link to a directory is not followed", "It could lead in circles. Name the directory with -f if it is wanted."},
	{manifest.RuleConfigurationNote, Warning, "something of a gateway's configuration has another meaning here", "The message says what, and what else is needed."},
	{ruleNoObjects, Warning, "the files hold no ToolPolicy, ToolSchema or ToolAdapter", "A check of nothing always passes. Check the path."},
}
