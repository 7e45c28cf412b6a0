package expr

import (
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// record is a value of one of the object types: a few fields, always set.
type record struct {
	t      *types.Type
	names  []string
	values []ref.Val
}

var _ traits.Mapper = (*record)(nil)

var (
	toolFields    = []string{"name", "server", "labels"}
	callerFields  = []string{"namespace", "serviceAccountName", "username", "via"}
	contextFields = []string{"tenant", "attributes"}

	toolObject    = types.NewObjectType(toolType, traits.ContainerType|traits.IndexerType)
	callerObject  = types.NewObjectType(callerType, traits.ContainerType|traits.IndexerType)
	contextObject = types.NewObjectType(contextType, traits.ContainerType|traits.IndexerType)
)

func (r *record) Find(key ref.Val) (ref.Val, bool) {
	k, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	for i, name := range r.names {
		if name == string(k) {
			return r.values[i], true
		}
	}
	return nil, false
}

func (r *record) Get(key ref.Val) ref.Val {
	if v, ok := r.Find(key); ok {
		return v
	}
	return types.NewErrFromString("no such key")
}

func (r *record) Contains(key ref.Val) ref.Val {
	_, ok := r.Find(key)
	return types.Bool(ok)
}

func (r *record) Equal(other ref.Val) ref.Val {
	o, ok := other.(*record)
	if !ok || o.t != r.t {
		return types.False
	}
	for i := range r.values {
		if types.Equal(r.values[i], o.values[i]) != types.True {
			return types.False
		}
	}
	return types.True
}

func (r *record) Iterator() traits.Iterator {
	return &iterator{size: len(r.names), get: func(i int) ref.Val { return types.String(r.names[i]) }}
}

func (r *record) Size() ref.Val                             { return types.Int(len(r.names)) }
func (r *record) Type() ref.Type                            { return r.t }
func (r *record) Value() any                                { return r }
func (r *record) String() string                            { return "value" }
func (r *record) ConvertToType(t ref.Type) ref.Val          { return convert(r, r.t, t) }
func (r *record) ConvertToNative(reflect.Type) (any, error) { return nil, errNative }

// inputs resolve the variables of one evaluation, and its meter. Without an
// activation every variable is unknown: what has a value all the same is constant.
type inputs struct {
	a     *Activation
	meter meter
}

var _ interpreter.Activation = (*inputs)(nil)

// Parent is nil: there is nothing beyond the variables.
func (in *inputs) Parent() interpreter.Activation { return nil }

// ResolveName gives a variable's value.
func (in *inputs) ResolveName(name string) (any, bool) {
	if name == meterName {
		return &in.meter, true
	}
	if in.a == nil {
		return types.NewUnknown(1, nil), variableOf(name) != 0
	}
	a := in.a
	switch name {
	case "args":
		return a.Args.value(&in.meter), true
	case "tool":
		return &record{toolObject, toolFields, []ref.Val{
			types.String(a.Tool.Name), types.String(a.Tool.Server),
			types.NewStringStringMap(types.DefaultTypeAdapter, a.Tool.Labels),
		}}, true
	case "caller":
		c := &a.Caller
		return &record{callerObject, callerFields, []ref.Val{
			types.String(c.Namespace), types.String(c.ServiceAccountName),
			types.String(c.Username), types.String(c.Via),
		}}, true
	case "tenant":
		return types.String(a.Tenant), true
	case "context":
		attributes := emptyAttributes
		if a.Context.Attributes != nil {
			attributes = a.Context.Attributes.value(&in.meter)
		}
		return &record{contextObject, contextFields, []ref.Val{types.String(a.Context.Tenant), attributes}}, true
	}
	return nil, false
}

var emptyAttributes ref.Val = types.NewStringInterfaceMap(types.DefaultTypeAdapter, nil)
