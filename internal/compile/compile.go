package compile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// Compile compiles the whole policy set. prev is only a memo: what has not changed
// is taken over from it, and Compile(in, prev) equals Compile(in, nil) in all but
// the count of what was compiled. It never returns an error for a user's mistake;
// mistakes are outcomes.
func Compile(in Input, prev *Output) *Output {
	if prev == nil {
		prev = &Output{}
	}
	groups := groupByNamespace(in)
	out := &Output{
		Namespaces: make(map[string]*Namespace, len(groups)),
		Schemas:    make(map[types.NamespacedName]*SchemaOutcome, len(in.Schemas)),
		Policies:   make(map[types.NamespacedName]*PolicyOutcome, len(in.Policies)),
		Adapters:   make(map[types.NamespacedName]*AdapterOutcome, len(in.Adapters)),
		programs:   map[programKey]*programMemo{},
		adapters:   map[types.NamespacedName]*adapterMemo{},
	}
	digest := sha256.New()
	for _, g := range groups {
		ns := compileNamespace(g, prev, out)
		out.Namespaces[g.name] = ns
		writeField(digest, g.name)
		digest.Write(ns.digest[:])
	}
	out.Revision = "sha256:" + hex.EncodeToString(digest.Sum(nil))
	return out
}

// group is one namespace's share of the input, sorted by name.
type group struct {
	name     string
	labels   map[string]string
	schemas  []*callgatev1alpha1.ToolSchema
	policies []*callgatev1alpha1.ToolPolicy
	adapters []*callgatev1alpha1.ToolAdapter

	adapterCompiler AdapterCompiler
}

func groupByNamespace(in Input) []*group {
	byName := map[string]*group{}
	at := func(name string) *group {
		g := byName[name]
		if g == nil {
			g = &group{name: name, labels: in.NamespaceLabels[name], adapterCompiler: in.AdapterCompiler}
			byName[name] = g
		}
		return g
	}
	for _, s := range in.Schemas {
		g := at(s.Namespace)
		g.schemas = append(g.schemas, s)
	}
	for _, p := range in.Policies {
		g := at(p.Namespace)
		g.policies = append(g.policies, p)
	}
	for _, a := range in.Adapters {
		g := at(a.Namespace)
		g.adapters = append(g.adapters, a)
	}
	groups := make([]*group, 0, len(byName))
	for _, g := range byName {
		slices.SortFunc(g.schemas, func(a, b *callgatev1alpha1.ToolSchema) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(g.policies, func(a, b *callgatev1alpha1.ToolPolicy) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(g.adapters, byObjectName)
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *group) int { return cmp.Compare(a.name, b.name) })
	return groups
}

func compileNamespace(g *group, prev, out *Output) *Namespace {
	ns := &Namespace{Tools: make(map[string]*Tool, len(g.schemas)), memos: make(map[string]*schemaMemo, len(g.schemas)), Adapters: make(map[string]*Adapter, len(g.adapters))}
	previous := prev.Namespaces[g.name]
	for _, s := range g.schemas {
		memo, fresh := compileSchema(s, previous.memo(s.Name))
		if fresh {
			out.Compiled++
		}
		ns.memos[s.Name] = memo
	}
	claims := claimants(g.schemas)
	for _, s := range g.schemas {
		key := types.NamespacedName{Namespace: g.name, Name: s.Name}
		claim := claims[s.EffectiveToolName()]
		out.Schemas[key] = reuse(prev.Schemas[key], schemaOutcome(s, ns.memos[s.Name], claim))
		ns.addTool(s, ns.memos[s.Name], claim)
	}
	for _, p := range g.policies {
		c := compilePolicy(p)
		c.UnreadyTools = unreadyTools(c, ns)
		facts(p, c, g.labels)
		compileRules(p, c, ns, prev, out)
		ns.Policies = append(ns.Policies, c)
	}
	noTool := callersWithoutTool(ns)
	for i, p := range g.policies {
		key := types.NamespacedName{Namespace: g.name, Name: p.Name}
		out.Policies[key] = reuse(prev.Policies[key], policyOutcome(p, ns, ns.Policies[i], noTool))
	}
	compileAdapters(g, ns, prev, out)
	ns.digest = namespaceDigest(g, ns)
	return ns
}

// claimants lists the ToolSchemas that claim each effective name, sorted by name.
func claimants(schemas []*callgatev1alpha1.ToolSchema) map[callgatev1alpha1.EffectiveToolName][]string {
	claims := make(map[callgatev1alpha1.EffectiveToolName][]string, len(schemas))
	for _, s := range schemas {
		name := s.EffectiveToolName()
		claims[name] = append(claims[name], s.Name)
	}
	return claims
}

func (n *Namespace) addTool(s *callgatev1alpha1.ToolSchema, memo *schemaMemo, claim []string) {
	name := string(s.EffectiveToolName())
	tool := n.Tools[name]
	if tool == nil {
		tool = &Tool{Name: name, Object: s.Name, ToolName: cmp.Or(s.Spec.ToolName, s.Name), Server: s.Spec.Server}
		n.Tools[name] = tool
	}
	tool.Labels = append(tool.Labels, s.Labels)
	if len(claim) == 1 && memo.judge != nil {
		tool.Judge, tool.Document = memo.judge, memo.document
	}
}
