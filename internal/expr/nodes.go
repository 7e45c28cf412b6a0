package expr

import (
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// meter counts what one evaluation costs.
type meter struct {
	spent, limit uint64
	// testing is set while has() looks, which reads no value.
	testing bool
}

// costExceeded and unsupportedRead end an evaluation. They are panics, as the
// library's own end of an evaluation is: an error value would be absorbed by ||
// and &&.
type (
	costExceeded    struct{}
	unsupportedRead struct{}
)

// charge counts, or ends the evaluation where the limit would be passed.
func (m *meter) charge(n uint64) {
	if n > m.limit-m.spent {
		m.spent = m.limit
		panic(costExceeded{})
	}
	m.spent += n
}

// meterName is how nodes find the meter among the variables. No expression can
// name it.
const meterName = "\x00meter"

func meterOf(vars interpreter.Activation) *meter {
	if v, ok := vars.ResolveName(meterName); ok {
		if m, ok := v.(*meter); ok {
			return m
		}
	}
	// Constants are evaluated while planning, within the bound on the source.
	return &meter{limit: PerEvaluationLimit}
}

// charged is a node that costs a fixed amount.
type charged struct {
	interpreter.InterpretableV2
	units uint64
}

func (c *charged) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	meterOf(frame).charge(c.units)
	return c.InterpretableV2.Exec(frame)
}

func (c *charged) Eval(vars interpreter.Activation) ref.Val { return c.Exec(interpreter.AsFrame(vars)) }

// attribute is a variable with its fields and indexes.
type attribute struct {
	interpreter.InterpretableAttribute
	units uint64
	test  bool
}

func (a *attribute) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	m := meterOf(frame)
	m.charge(a.units)
	// Only the path of a variable is looked at without being read: what an expression
	// gives has read what it is made of.
	if _, variable := a.Attr().(interpreter.NamespacedAttribute); !a.test || !variable {
		return a.InterpretableAttribute.Exec(frame)
	}
	before := m.testing
	m.testing = true
	v := a.InterpretableAttribute.Exec(frame)
	m.testing = before
	return v
}

func (a *attribute) Eval(vars interpreter.Activation) ref.Val {
	return a.Exec(interpreter.AsFrame(vars))
}

// AddQualifier adds a field or an index.
func (a *attribute) AddQualifier(q interpreter.Qualifier) (interpreter.Attribute, error) {
	if _, constant := q.(interpreter.ConstantQualifier); !constant {
		q = computedIndex{q}
	}
	_, err := a.InterpretableAttribute.AddQualifier(q)
	return a, err
}

// computedIndex is an index that an expression gives. What the expression is made of is
// read, also below has().
type computedIndex struct{ interpreter.Qualifier }

func (c computedIndex) Qualify(vars interpreter.Activation, obj any) (any, error) {
	m := meterOf(vars)
	before := m.testing
	m.testing = false
	v, err := c.Qualifier.Qualify(vars, obj)
	m.testing = before
	return v, err
}

func (c computedIndex) QualifyIfPresent(vars interpreter.Activation, obj any, presenceOnly bool) (any, bool, error) {
	m := meterOf(vars)
	before := m.testing
	m.testing = false
	v, found, err := c.Qualifier.QualifyIfPresent(vars, obj, presenceOnly)
	m.testing = before
	return v, found, err
}

// constructed is a list or map literal.
type constructed struct {
	interpreter.InterpretableV2
	units uint64
}

func (c *constructed) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	meterOf(frame).charge(c.units)
	v := c.InterpretableV2.Exec(frame)
	if m, ok := v.(traits.Mapper); ok {
		return shortKeyed{m}
	}
	return v
}

func (c *constructed) Eval(vars interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(vars))
}

// maxKeyBytes bounds the keys that are looked up: an index costs one unit, however
// long the key is. Keys in Kubernetes have at most 317 bytes.
const maxKeyBytes = 4 << 10

// tooLong ends the evaluation where a key is too long to look up.
func tooLong(key ref.Val) {
	if size(key) > maxKeyBytes {
		panic(costExceeded{})
	}
}

// shortKeyed is a map of the expression that looks up no long key.
type shortKeyed struct{ traits.Mapper }

// Find finds a short key.
func (m shortKeyed) Find(key ref.Val) (ref.Val, bool) {
	tooLong(key)
	return m.Mapper.Find(key)
}

// Get gets the value of a short key.
func (m shortKeyed) Get(key ref.Val) ref.Val {
	tooLong(key)
	return m.Mapper.Get(key)
}

// Equal compares with another map.
func (m shortKeyed) Equal(other ref.Val) ref.Val {
	o, ok := untyped(other)
	if !ok {
		return types.False
	}
	return sameMembers(m, o)
}

// alternative is or() and orValue() of an optional: the second is evaluated only
// where it is needed.
type alternative struct {
	id            int64
	first, second interpreter.InterpretableV2
	value         bool
}

func (a *alternative) ID() int64 { return a.id }

func (a *alternative) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	meterOf(frame).charge(1)
	first := a.first.Exec(frame)
	o, ok := first.(*types.Optional)
	switch {
	case types.IsUnknownOrError(first):
		return first
	case !ok:
		return types.NoSuchOverloadErr()
	case !o.HasValue():
		return a.second.Exec(frame)
	case a.value:
		return o.GetValue()
	}
	return o
}

func (a *alternative) Eval(vars interpreter.Activation) ref.Val {
	return a.Exec(interpreter.AsFrame(vars))
}

// call is a call of a function, which is charged when its operands are known.
type call struct {
	id     int64
	args   []interpreter.InterpretableV2
	strict bool
	// cost is what it costs beyond one unit; nil: nothing.
	cost func([]ref.Val) uint64
	do   func([]ref.Val) ref.Val
}

func (c *call) ID() int64 { return c.id }

func (c *call) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	m := meterOf(frame)
	// A call inside has() reads its operands.
	before := m.testing
	m.testing = false
	v := make([]ref.Val, len(c.args))
	for i, arg := range c.args {
		if v[i] = arg.Exec(frame); c.strict && types.IsUnknownOrError(v[i]) {
			m.testing = before
			return v[i]
		}
	}
	cost := uint64(1)
	if c.cost != nil {
		cost = plus(cost, c.cost(v))
	}
	m.charge(cost)
	out := c.do(v)
	m.testing = before
	return out
}

func (c *call) Eval(vars interpreter.Activation) ref.Val { return c.Exec(interpreter.AsFrame(vars)) }

// invoke is the call of an overload, or of what dispatches among overloads. Where
// there is none the first operand may itself know the function.
func invoke(o *functions.Overload, name, overload string) func([]ref.Val) ref.Val {
	return func(v []ref.Val) ref.Val {
		if o != nil && fits(o, v[0]) {
			switch {
			case len(v) == 1 && o.Unary != nil:
				return o.Unary(v[0])
			case len(v) == 2 && o.Binary != nil:
				return o.Binary(v[0], v[1])
			case o.Function != nil:
				return o.Function(v...)
			}
		}
		if r, ok := v[0].(traits.Receiver); ok && v[0].Type().HasTrait(traits.ReceiverType) {
			return r.Receive(name, overload, v[1:])
		}
		return types.NewErrFromString("no such overload")
	}
}

// fits says that an operand has what the overload asks of it.
func fits(o *functions.Overload, v ref.Val) bool {
	return o.OperandTrait == 0 || o.NonStrict && types.IsUnknownOrError(v) || v.Type().HasTrait(o.OperandTrait)
}
