package expr

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// The object types. Their names are no CEL identifiers, so that no expression
// can construct a caller.
const (
	toolType    = "callgate.dev/Tool"
	callerType  = "callgate.dev/Caller"
	contextType = "callgate.dev/Context"
)

// variables are the variables' names, in the order in which issues name them.
var variables = []struct {
	name string
	bit  Variables
}{
	{"args", VarArgs},
	{"tool", VarTool},
	{"caller", VarCaller},
	{"tenant", VarTenant},
	{"context", VarContext},
}

// variableOf is the bit of a variable's name, or 0.
func variableOf(name string) Variables {
	for _, v := range variables {
		if v.name == name {
			return v.bit
		}
	}
	return 0
}

// environments are those of every expression: one that lacks only args, and the
// one that takes them as dyn.
type environments struct {
	withoutArgs, dyn *cel.Env
}

// newEnvironments pins the version of Kubernetes whose environment it is, so
// that a new version of the library changes no rule's meaning by itself.
var newEnvironments = sync.OnceValues(func() (environments, error) {
	// Shared errors get the id of whichever node met them first, unless they
	// have one; concurrent evaluations must not write there.
	types.LabelErrNode(-1, types.NoSuchOverloadErr())

	base := environment.MustBaseEnvSet(version.MajorMinor(1, 37)).NewExpressionsEnv()
	objects := map[string]map[string]*types.Type{
		toolType: {
			"name": types.StringType, "server": types.StringType,
			"labels": types.NewMapType(types.StringType, types.StringType),
		},
		callerType: {
			"namespace": types.StringType, "serviceAccountName": types.StringType,
			"username": types.StringType, "via": types.StringType,
		},
		contextType: {
			"tenant": types.StringType, "attributes": types.NewMapType(types.StringType, types.DynType),
		},
	}
	var out environments
	var err error
	out.withoutArgs, err = base.Extend(
		cel.CustomTypeProvider(&provider{Provider: base.CELTypeProvider(), objects: objects}),
		cel.Variable("tool", types.NewObjectType(toolType)),
		cel.Variable("caller", types.NewObjectType(callerType)),
		cel.Variable("tenant", types.StringType),
		cel.Variable("context", types.NewObjectType(contextType)),
	)
	if err != nil {
		return out, fmt.Errorf("building the CEL environment: %w", err)
	}
	out.dyn, err = out.withoutArgs.Extend(cel.Variable("args", types.DynType))
	if err != nil {
		return out, fmt.Errorf("building the CEL environment: %w", err)
	}
	return out, nil
})

// provider knows object types with fields, beyond those of the base.
type provider struct {
	types.Provider
	objects map[string]map[string]*types.Type
}

// FindStructType finds an object type.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if _, ok := p.objects[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames finds the names of an object type's fields.
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	fields, ok := p.objects[name]
	if !ok {
		return p.Provider.FindStructFieldNames(name)
	}
	names := make([]string, 0, len(fields))
	for field := range fields {
		names = append(names, field)
	}
	return names, true
}

// FindStructFieldType finds the type of a field. It names no accessor: values are
// read as maps are.
func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	fields, ok := p.objects[name]
	if !ok {
		return p.Provider.FindStructFieldType(name, field)
	}
	t, ok := fields[field]
	if !ok {
		return nil, false
	}
	return &types.FieldType{Type: t}, true
}
