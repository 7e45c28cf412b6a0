package lint

var schemaRules = []Rule{
	{ruleSchemaDocument, Error, "the schema document cannot be read", "It is no JSON, no schema, or over a bound. Until it is mended, calls to the tool are blocked with schema_not_ready."},
	{ruleSchemaDialect, Error, "the schema's dialect is not named, or not supported", "The document uses what Draft 7, the default, silently ignores. Set spec.dialect or $schema to the draft that is meant."},
	{ruleSchemaReference, Error, "a $ref that leads nowhere, out of the document, or in circles", "References are never fetched. Copy the target into $defs and write its pointer from the root of the document."},
	{ruleSchemaPattern, Error, "a pattern that is no regular expression of ECMA-262", "Mend the pattern; the message says what is wrong with it."},
	{ruleSchemaOpenBranch, Error, "a branch of anyOf or oneOf that accepts everything", "It makes the whole union accept everything, and is mostly what is left of \"const\": null after a tool dropped the null. Write \"type\": \"null\"."},
	{ruleSchemaIdentifier, Error, "an $id or $anchor that cannot be used", "Names must be unique within the document. Leave out those that nothing refers to."},
	{ruleSchemaKeyword, Error, "a keyword has a value that its draft does not allow", "The message says what the keyword must hold."},
	{ruleDuplicateToolName, Error, "several ToolSchemas claim one tool name", "None of them serves it, and calls to the tool are blocked with schema_not_ready. Rename or remove all but one."},
	{ruleIgnoredKeyword, Warning, "a keyword that the dialect in force ignores", "It checks nothing. Choose the draft that has it, or write it as the draft in force wants it."},
	{ruleSlowPattern, Warning, "a pattern that needs a backtracking engine", "Look-around and back-references are judged under a hard budget, past which a value is refused. Write the pattern without them where it can be done."},
	{ruleUnknownFormat, Warning, "a format that is not known", "It checks nothing. Write a pattern, or one of the formats of JSON Schema."},
	{ruleNoArguments, Warning, "nothing declares an argument", "The closed world refuses what nothing declares, so every call with an argument is blocked. List the arguments in properties, or leave parameters out where there are none."},
	{ruleUndeclaredNeeded, Warning, "an argument is required and not declared", "No call can be accepted: without the argument it is missing, with it unexpected. Add it to properties."},
	{ruleSlowJudge, Note, "a schema that the slower judge has to judge", "The verdicts are the same. The message says which keyword is the reason."},
	{ruleDroppedNull, Warning, "a null that kubectl apply drops", "Client-side apply reads a null in an object as \"remove this key\", so that \"const\": null no longer asserts anything. Write \"type\": \"null\", use spec.parametersJSON, or apply with --server-side."},
	{ruleLostInApply, Warning, "something was lost when the object was applied", "The last-applied annotation has a null or a number that the stored object has not. Use spec.parametersJSON, or apply with --server-side."},
	{ruleSchemaWarning, Warning, "something else to know about a schema", "The message says what."},
	{ruleUnconstrained, Note, "an argument that nothing constrains", "Any value passes, of any type and size. Give it a type at least, and a pattern, an enum or a bound where there is one."},
	{ruleOpenArguments, Warning, "the schema accepts arguments that it does not list", "A model may pass what the tool's author never thought of. Set additionalProperties to false, or leave spec.arguments.undeclared at Reject."},
	{ruleOpenObject, Note, "an object below the arguments accepts members that nothing lists", "Set additionalProperties to false there, or spec.arguments.undeclared to RejectNested."},
	{ruleMisspelt, Warning, "a keyword that looks like a misspelt one", "Unknown keywords check nothing. The message says which one may be meant; case counts."},
	{ruleUnknownKeyword, Note, "a keyword that no draft of JSON Schema has", "It checks nothing. Keywords of your own are best begun with x-."},
	{ruleConfusable, Warning, "two tool names of a namespace are easily taken for each other", "They differ only in case, separators or letters that look alike, so that a model calls, or a policy declares, the wrong one. Rename one, or declare the name that is there."},
	{ruleOddName, Warning, "a tool name with hidden or mixed characters", "It has characters that cannot be seen, spaces at an end, or letters of several scripts, and so can pass for another name. Names are compared character by character."},
	{ruleUnusedSchema, Note, "no policy of the files lets any call to the tool pass", "Declare the tool in a ToolPolicy of its namespace, or remove the ToolSchema."},
}

var policyRules = []Rule{
	{ruleSelectorInvalid, Error, "a label selector that cannot be used", "Until it is mended the policy blocks every call of its subjects with policy_error."},
	{ruleRuleInvalid, Error, "an expression that does not compile", "Under failurePolicy Fail the calls that the rule is about are blocked with policy_error, under Ignore the rule is skipped. The message has the line and column in the expression."},
	{rulePolicyInvalid, Error, "a policy that cannot be used as it is", "The message says what is wrong."},
	{ruleNoCommonTool, Warning, "policies that select one caller leave it no tool", "Each further policy can only take away. Declare the tools in every policy that selects the caller, or narrow their subjects."},
	{ruleNeverBlocks, Warning, "a policy without Deny", "It only warns or records. Add Deny to validationActions once the policy is what you want."},
	{ruleToolWithout, Warning, "a declared tool has no ToolSchema", "Calls to it are blocked with unknown_tool, or pass unvalidated where unvalidatedCalls is Allow. Add a ToolSchema."},
	{ruleToolNotSelected, Warning, "a declared tool's ToolSchema is not selected", "Calls to it are blocked with unknown_tool. Label the ToolSchema, or widen schemaSelector."},
	{ruleSelectorEmpty, Warning, "schemaSelector selects no ToolSchema", "Every tool is unknown to the policy. Check the labels."},
	{ruleTenantLabel, Warning, "the namespace has not the label that the tenant comes from", "Calls are blocked with forbidden:tenant until it has."},
	{ruleNamespaceUnknown, Note, "the namespace that the tenant comes from is not in the files", "Give its Namespace with -f, and its label is checked too."},
	{ruleRBACWithout, Warning, "a tool that RBAC cannot grant has no ToolSchema", "RBAC is asked about the ToolSchema object. Add one, or the tool stays forbidden."},
	{ruleAlwaysTrue, Warning, "a rule that is always true", "It decides nothing. Mend or remove it."},
	{ruleAlwaysFalse, Warning, "a rule that is always false", "It blocks every call that it is about. Take the tools out of declaredTools if that is meant."},
	{ruleArgument, Warning, "a rule reads an argument that no schema declares", "Where it is read the rule says no; behind has() it is never there. Check the name and the type."},
	{ruleNeverApplies, Warning, "a rule about a tool to which the policy lets no call pass", "The rule never decides one. Declare the tool, or take it out of the rule."},
	{rulePolicyWarning, Warning, "something else to know about a policy", "The message says what."},
	{ruleSelectsNobody, Warning, "a policy that selects no ServiceAccount that the files know", "The files create ServiceAccounts in the namespace, and none of those that the policy names. Check the names and the namespace."},
	{ruleUnknownAccount, Note, "a policy names a ServiceAccount that the files do not create", "They create others in the namespace. Check the name."},
}

var adapterRules = []Rule{
	{ruleAdapterInvalid, Error, "an adapter that cannot be used as it is", "It runs nothing until it is mended."},
	{ruleAdapterEndpoint, Warning, "an adapter whose endpoint the operator must allow", "By default an adapter reaches Services of its own namespace only. Whoever operates Callgate allows other hosts with --allowed-upstream."},
	{ruleAdapterDuplicate, Error, "several adapters run one tool", "None of them does. Remove all but one."},
	{ruleAdapterWithout, Warning, "an adapter for a tool that has no ToolSchema", "It runs nothing without one. Check the name, or add the ToolSchema."},
	{ruleAdapterNoResult, Warning, "an adapter whose tool lets no field of a result leave", "Every result is empty. List the fields in spec.result.fields of the ToolSchema."},
	{ruleAdapterKey, Warning, "an adapter's key or url that can hardly be meant", "The message says what to change."},
	{ruleAdapterWarning, Warning, "something else to know about an adapter", "The message says what."},
	{ruleRecordsMissing, Warning, "the ConfigMap of an adapter is not in the files", "Give it with -f to have its records checked. In the cluster it must exist and bear the label callgate.dev/records: \"true\"."},
	{ruleRecordsInvalid, Error, "the ConfigMap of an adapter cannot be used", "The message says what to mend."},
}

var providerRules = []Rule{
	{ruleProviderName, Note, "a tool name that a provider refuses", "Only with --provider. Clients then rename the tool on the way, and the model calls another name than the one that is declared. Choose a name that the provider takes."},
	{ruleProviderKey, Note, "an argument's name that a provider refuses", "Only with --provider. The whole request is refused for it. Rename the argument."},
	{ruleProviderSchema, Note, "a schema that a provider refuses", "Only with --provider. The message says which keyword is not in the provider's subset, and what to write instead."},
	{ruleProviderLimit, Note, "a schema over a provider's limit", "Only with --provider. Make the schema smaller."},
}
