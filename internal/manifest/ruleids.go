package manifest

import "k8s.io/apimachinery/pkg/util/validation/field"

// The rules by which diagnostics and notes are told apart. Their names are a part of
// what callgate lint prints, and never change their meaning.
const (
	// RuleUnreadable: a file or directory cannot be read.
	RuleUnreadable = "unreadable"
	// RuleTooLarge: a file, a document or an object is over a bound.
	RuleTooLarge = "too-large"
	// RuleNotText: bytes or escapes that no UTF-8 text has.
	RuleNotText = "not-text"
	// RuleSyntax: neither YAML nor JSON.
	RuleSyntax = "syntax"
	// RuleDocumentMarker: documents that kubectl would read otherwise, or not at all.
	RuleDocumentMarker = "document-marker"
	// RuleDuplicateKey: a key occurs twice in one object.
	RuleDuplicateKey = "duplicate-key"
	// RuleNotANumber: a number that JSON, or the API server, cannot hold.
	RuleNotANumber = "not-a-number"
	// RuleNotAnObject: a document that is no Kubernetes object.
	RuleNotAnObject = "not-an-object"
	// RuleUnknownKind: a kind or version of our own group that there is not.
	RuleUnknownKind = "unknown-kind"
	// RuleUnknownField: strict field validation refuses the field.
	RuleUnknownField = "unknown-field"
	// RuleMissingField: a field that the API server requires.
	RuleMissingField = "missing-field"
	// RuleWrongType: a value of another type than the field has.
	RuleWrongType = "wrong-type"
	// RuleUnsupportedValue: none of the values that the field may have.
	RuleUnsupportedValue = "unsupported-value"
	// RuleDuplicateItem: an item that occurs twice in a set.
	RuleDuplicateItem = "duplicate-item"
	// RuleInvalidValue: a value that breaks a bound, a pattern or another rule.
	RuleInvalidValue = "invalid-value"
	// RuleCEL: a validation rule of the CustomResourceDefinition says no.
	RuleCEL = "validation-rule"
	// RuleDuplicateObject: one object is in the files twice.
	RuleDuplicateObject = "duplicate-object"
	// RuleConfiguration: a gateway's configuration that cannot be taken over as it is.
	RuleConfiguration = "configuration"
	// RuleMore: more is wrong than is listed.
	RuleMore = "more-problems"

	// RuleYAMLKey: a key that YAML 1.1 reads as something else than the text.
	RuleYAMLKey = "yaml-key"
	// RuleYAMLValue: a value that YAML 1.1 reads as something else than it seems to be.
	RuleYAMLValue = "yaml-value"
	// RuleRoundedNumber: a number that is stored, or applied, as another one.
	RuleRoundedNumber = "rounded-number"

	// RulePassedOver: a kind that decides nothing here.
	RulePassedOver = "passed-over"
	// RuleConfigurationNote: what a gateway's configuration becomes otherwise than it looks.
	RuleConfigurationNote = "configuration-note"
	// RuleDirectoryLink: a link to a directory, which is not followed.
	RuleDirectoryLink = "directory-link"
)

// Unreadable says that a diagnostic of the rule means that a file was not read, or not
// to its end, so that nobody can tell what it holds.
func Unreadable(rule string) bool {
	switch rule {
	case RuleUnreadable, RuleTooLarge, RuleNotText, RuleSyntax, RuleDocumentMarker:
		return true
	}
	return false
}

// ruleOf is the rule of an error of the API server.
func ruleOf(err *field.Error) string {
	switch err.Type {
	case field.ErrorTypeRequired:
		return RuleMissingField
	case field.ErrorTypeTypeInvalid:
		return RuleWrongType
	case field.ErrorTypeNotSupported:
		return RuleUnsupportedValue
	case field.ErrorTypeDuplicate:
		return RuleDuplicateItem
	}
	return RuleInvalidValue
}
