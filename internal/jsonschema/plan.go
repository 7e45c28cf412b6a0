package jsonschema

// The kinds of a value as the engine tells them apart: by first byte, and a
// number by its literal.
const (
	atNull = iota
	atBoolean
	atInteger
	atNumber
	atString
	atArray
	atObject
	kindCount
)

const everyKind = 1<<kindCount - 1

// kindsAt are the kinds that a value of each sort is of: an integer is a number.
var kindsAt = [kindCount]kinds{
	kindNull, kindBoolean, kindInteger | kindNumber, kindNumber, kindString, kindArray, kindObject,
}

// plan is what the engine checks at one location: all that the subschemas in
// place there say together. Where a reference, allOf, or a union of which the
// kind of the value leaves one branch applies, it is already part of the plan, so
// that the engine never follows it.
type plan struct {
	id uint32 // among the plans of one schema; 0: it is none of them
	// byKind are the plans to use instead, by kind, where a union depends on it.
	byKind *[kindCount]*plan
	// allowed has a bit for each kind that no type keyword refuses.
	allowed uint8
	// plain says that there is neither fixed nor logic, and scalars that a scalar of
	// an allowed kind needs no other check at all.
	plain, scalars bool

	schemas []*schema // whose type keywords allowed sums up
	values  []valueCheck
	texts   []textCheck
	numbers []numberCheck
	// array and object are there wherever the plan is used for such a value.
	array  *arrayPlan
	object *objectPlan
	// fixed are broken by any value that gets here.
	fixed []rule
	// logic is what needs the value read again.
	logic *logicPlan
}

type valueCheck struct {
	rule
	values *enumPlan
}

type textCheck struct {
	min, max int  // code points; -1: none
	content  bool // there is a pattern or a format
	pattern  *pattern
	format   *format
	schema   *schema
}

type arrayPlan struct {
	prefix []itemPlan
	rest   itemPlan
	counts []countCheck
	// unique are the schemas with uniqueItems.
	unique   []*schema
	contains []containsPlan
}

// itemPlan is for the items at one place, or at all places behind the tuple.
type itemPlan struct {
	plan *plan
	// unexpected says why there may be none.
	unexpected []rule
}

type countCheck struct {
	min, max int // -1: none
	schema   *schema
}

type containsPlan struct {
	plan   *plan
	schema *schema
}

type objectPlan struct {
	keys keyTable
	// members are by place in keys, which is the order of the schema's text.
	members []memberPlan
	words   int // of the set of keys seen
	require []requirePlan
	// required are their bits, by word.
	required []uint64
	depends  []dependPlan
	// twice says that a key may be missing by the word of two.
	twice  bool
	counts []countCheck
	weight int // steps to look through require and depends
	groups []objectGroup
	// other is for keys outside the table, where no group has patterns.
	other itemPlan
	// patterns says that some group has patterns.
	patterns bool
	names    []namesPlan
	// closed: what nothing declares is unexpected; opens: everything is declared.
	// A union in place may declare more where dynamic is set.
	closed, opens, dynamic bool
	// nested: undeclared properties are refused below, too.
	nested bool
}

type memberPlan struct {
	// quoted is the key as it mostly comes, with its quotes; "" where it could
	// not come so.
	quoted string
	itemPlan
	// closedOut: unexpected only for the closed world, not for a schema alone.
	closedOut bool
	// plain: nothing is to be looked at but the value.
	plain bool
}

type requirePlan struct {
	rule
	key  int // its place in the table
	name string
}

type dependPlan struct {
	trigger int
	needs   []requirePlan
}

type namesPlan struct {
	plan *plan
	rule
}

// objectGroup is what one subschema says of keys by pattern and of all others.
type objectGroup struct {
	schema     *schema
	properties map[string]*schema
	patterns   []patternPlan
	// rest is additionalProperties, nil where it says nothing.
	rest *itemPlan
}

type patternPlan struct {
	pattern *pattern
	plan    *plan
}

type logicPlan struct {
	unions     []unionPlan
	nots       []notPlan
	conditions []conditionPlan
	dependents []dependentPlan
	// delegated are the subschemas that the reference judges the value by.
	delegated []*schema
}

type unionPlan struct {
	rule     // anyOf or oneOf, and whose
	branches []branchPlan
}

// branchPlan is a branch that the kind of the value does not rule out.
type branchPlan struct {
	plan   *plan
	schema *schema
	limits []limitPlan
}

type limitPlan struct {
	key    string
	values *enumPlan
}

type notPlan struct {
	rule
	plan *plan
}

type conditionPlan struct{ ifP, thenP, elseP *plan }

type dependentPlan struct {
	key  string
	plan *plan
}
