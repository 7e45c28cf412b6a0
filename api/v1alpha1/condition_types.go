package v1alpha1

// Condition types. Each kind says which of them it has.
const (
	// ConditionAccepted tells whether the spec is good.
	//
	// Reasons for True: Accepted.
	// Reasons for False: InvalidSchema, DuplicateToolName (ToolSchema);
	// InvalidSpec (ToolPolicy).
	// Reasons for Unknown: Pending.
	//
	// Controllers may give other reasons, but should prefer these.
	ConditionAccepted = "Accepted"

	// ConditionResolvedRefs tells whether everything that a ToolPolicy names by
	// reference exists and may be used. A declared tool without a ToolSchema is no
	// broken reference: it blocks, and status.warnings says so.
	//
	// Reasons for True: ResolvedRefs.
	// Reasons for Unknown: Pending.
	ConditionResolvedRefs = "ResolvedRefs"

	// ConditionReady tells whether this generation of the object is in force. It is
	// the condition to wait for: kubectl wait --for=condition=Ready.
	//
	// Reasons for True: InForce.
	// Reasons for False: those of Accepted.
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
	// blocked with schema_not_ready. The message names the others.
	ReasonDuplicateToolName = "DuplicateToolName"

	// ReasonInvalidSpec is used with Accepted=False, Ready=False and Stalled=True on
	// a ToolPolicy that cannot be evaluated. It stays in force as a policy that
	// blocks with policy_error.
	ReasonInvalidSpec = "InvalidSpec"
)
