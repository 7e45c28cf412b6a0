package fileset

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/shown"
)

// Problem is what status would say of one object.
type Problem struct {
	manifest.Diagnostic
	// Warning: the object is in force all the same.
	Warning bool
}

// String is the line that a command prints.
func (p Problem) String() string {
	if p.Warning {
		p.Message = "warning: " + p.Message
	}
	return p.Diagnostic.String()
}

// Problems say what the compiler thinks of the objects, in the order of the files.
func Problems(objects *manifest.Set, out *compile.Output) []Problem {
	c := &collector{objects: objects, out: out, records: RecordsOf(objects)}
	for _, s := range objects.Schemas {
		c.schema(types.NamespacedName{Namespace: s.Namespace, Name: s.Name})
	}
	for _, p := range objects.Policies {
		c.policy(types.NamespacedName{Namespace: p.Namespace, Name: p.Name})
	}
	for _, a := range objects.Adapters {
		c.adapter(types.NamespacedName{Namespace: a.Namespace, Name: a.Name})
	}
	for _, name := range Authorizer(objects).Overwritten() {
		key := manifest.Key{Kind: manifest.KindClusterRole, Name: name}
		c.add(key, objects.Position(key, "/rules"), "/rules", "aggregation takes away the rules that no selected ClusterRole has: give them to a ClusterRole of its own with the label", true)
	}
	slices.SortStableFunc(c.found, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c.found
}

type collector struct {
	objects *manifest.Set
	out     *compile.Output
	records Records
	found   []Problem
}

func (c *collector) add(key manifest.Key, at manifest.Position, path, message string, warning bool) {
	c.found = append(c.found, Problem{manifest.Diagnostic{Position: at, Object: key.String(), Path: path, Message: shown.Escape(message)}, warning})
}

func (c *collector) all(key manifest.Key, problems []callgatev1alpha1.Problem, warning bool, place func(string) manifest.Position) {
	for _, p := range problems {
		path := ""
		if p.Path != nil {
			path = *p.Path
		}
		c.add(key, place(path), path, p.Message, warning)
	}
}

func (c *collector) schema(name types.NamespacedName) {
	o := c.out.Schemas[name]
	if o == nil {
		return
	}
	key := manifest.Key{Kind: manifest.KindToolSchema, Namespace: name.Namespace, Name: name.Name}
	place := func(ptr string) manifest.Position { return c.objects.SchemaPosition(name, ptr) }
	c.all(key, o.Problems, false, place)
	if !o.Accepted() && (len(o.Problems) == 0 || o.Reason == callgatev1alpha1.ReasonDuplicateToolName) {
		c.add(key, c.objects.Position(key, "/spec/toolName"), "", o.Message, false)
	}
	c.all(key, o.Warnings, true, place)
}

func (c *collector) policy(name types.NamespacedName) {
	o := c.out.Policies[name]
	if o == nil {
		return
	}
	key := manifest.Key{Kind: manifest.KindToolPolicy, Namespace: name.Namespace, Name: name.Name}
	place := func(ptr string) manifest.Position { return c.objects.Position(key, ptr) }
	c.all(key, o.Problems, false, place)
	if !o.Accepted() && len(o.Problems) == 0 {
		c.add(key, place("/spec"), "", o.Message, false)
	}
	c.all(key, o.Warnings, true, place)
}

func (c *collector) adapter(name types.NamespacedName) {
	o := c.out.Adapters[name]
	if o == nil {
		return
	}
	key := manifest.Key{Kind: manifest.KindToolAdapter, Namespace: name.Namespace, Name: name.Name}
	place := func(ptr string) manifest.Position { return c.objects.Position(key, ptr) }
	c.all(key, slices.Concat(o.Problems, c.records.Problems(name.Namespace, o)), false, place)
	if o.RefReason == callgatev1alpha1.ReasonRefNotFound {
		c.add(key, place("/spec/toolName"), "", o.RefMessage, false)
	}
	c.all(key, o.Warnings, true, place)
}

// Problems are those of the ConfigMap that an adapter in force reads.
func (r Records) Problems(namespace string, o *compile.AdapterOutcome) (problems []callgatev1alpha1.Problem) {
	if o.Adapter == nil {
		return nil
	}
	a, ok := o.Adapter.Program.(*adapter.Adapter)
	if !ok {
		return nil
	}
	ref, reads := a.ConfigMap()
	if !reads {
		return nil
	}
	cm, there := r[types.NamespacedName{Namespace: namespace, Name: ref.Name}]
	for _, p := range a.CheckConfigMap(cm, there) {
		problems = append(problems, callgatev1alpha1.Problem{Path: &p.Path, Message: p.Message})
	}
	return problems
}
