package v1alpha1

// Condition types. Each kind says which of them it has.
const (
	// ConditionAccepted tells whether the spec is good.
	//
	// Reasons for True: Accepted.
	// Reasons for False: InvalidSchema, DuplicateToolName (ToolSchema);
	// InvalidSpec (ToolPolicy); DuplicateToolName, InvalidSpec (ToolAdapter).
	// Reasons for Unknown: Pending.
	//
	// Controllers may give other reasons, but should prefer these.
	ConditionAccepted = "Accepted"

	// ConditionResolvedRefs tells whether everything that a ToolPolicy or ToolAdapter
	// names exists and may be used. A tool that a ToolPolicy declares and that has no
	// ToolSchema is no broken reference: it blocks, and status.warnings says so.
	//
	// Reasons for True: ResolvedRefs.
	// Reasons for False: RefNotFound, RefNotPermitted, InvalidRef, EndpointNotAllowed.
	// Reasons for Unknown: Pending.
	ConditionResolvedRefs = "ResolvedRefs"

	// ConditionReady tells whether this generation of the object is in force. It is
	// the condition to wait for: kubectl wait --for=condition=Ready.
	//
	// Reasons for True: InForce.
	// Reasons for False: those of Accepted and ResolvedRefs.
	// Reasons for Unknown: Pending.
	ConditionReady = "Ready"

	// ConditionStalled is present only while True: waiting will not help, somebody
	// has to change an object. Its reason is that of Accepted.
	ConditionStalled = "Stalled"
)

// Condition reasons.
const (
	// ReasonPending is the reason of every condition that no controller has set yet.
	ReasonPending = "Pending"

	// ReasonAccepted is used with Accepted=True.
	ReasonAccepted = "Accepted"

	// ReasonResolvedRefs is used with ResolvedRefs=True.
	ReasonResolvedRefs = "ResolvedRefs"

	// ReasonInForce is used with Ready=True: verdicts are given by this generation.
	ReasonInForce = "InForce"

	// ReasonInvalidSchema is used with Accepted=False, Ready=False and Stalled=True
	// on a ToolSchema whose document does not compile. status.problems lists what
	// is wrong; calls to the tool are blocked with schema_not_ready.
	ReasonInvalidSchema = "InvalidSchema"

	// ReasonDuplicateToolName is used with Accepted=False, Ready=False and
	// Stalled=True on every ToolSchema of a namespace that claims an effective name
	// which another one claims too. None of them serves the name; calls to it are
	// blocked with schema_not_ready. The message names the others. It is also used on
	// every ToolAdapter of a namespace for a tool that another one is for too: none of
	// them runs it.
	ReasonDuplicateToolName = "DuplicateToolName"

	// ReasonInvalidSpec is used with Accepted=False, Ready=False and Stalled=True on
	// a ToolPolicy that cannot be evaluated, which stays in force as a policy that
	// blocks with policy_error, and on a ToolAdapter whose key or URL cannot be used,
	// which runs nothing.
	ReasonInvalidSpec = "InvalidSpec"

	// ReasonRefNotFound is used with ResolvedRefs=False and Ready=False on an object
	// that names a ToolSchema, ConfigMap, Secret or key that does not exist.
	ReasonRefNotFound = "RefNotFound"

	// ReasonRefNotPermitted is used with ResolvedRefs=False and Ready=False on an
	// object that names a ConfigMap or Secret whose owner has not consented (by its
	// label or type), or that Callgate may not read.
	ReasonRefNotPermitted = "RefNotPermitted"

	// ReasonInvalidRef is used with ResolvedRefs=False and Ready=False on an object
	// that names a ConfigMap or Secret whose content cannot be used.
	ReasonInvalidRef = "InvalidRef"

	// ReasonEndpointNotAllowed is used with ResolvedRefs=False and Ready=False on an
	// object whose endpoint the operator has not allowed.
	ReasonEndpointNotAllowed = "EndpointNotAllowed"
)
