package verdictan

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/callgate/callgate/internal/objectname"
	"github.com/callgate/callgate/internal/rawjson"
)

// Section is the member of a configuration that is read.
const Section = "tool-validation"

// Severity says what a Finding is. The zero value is the worst.
type Severity uint8

// The severities.
const (
	// Error: there is no object for what the configuration says.
	Error Severity = iota
	// Warning: the objects do something else than a reader may expect.
	Warning
)

// Finding is something to say of a place in the configuration.
type Finding struct {
	Severity Severity
	// Pointer is a JSON Pointer of the configuration.
	Pointer string
	// Message says what is wrong, and what to do.
	Message string
}

// Object is a Kubernetes object without status.
type Object struct {
	// Kind is ToolPolicy or ToolSchema.
	Kind string
	// Content is the object as JSON values: numbers are int64 or float64.
	Content map[string]any
	// From maps JSON Pointers of the object to those of the configuration.
	From map[string]string
}

// Options are what a configuration does not say.
type Options struct {
	// APIVersion is that of the objects.
	APIVersion string
	// ServiceAccounts are whom the policy is about. Absent: every one of the namespace.
	ServiceAccounts []string
}

// converter is one conversion.
type converter struct {
	opts     Options
	findings []Finding
	objects  []Object
	names    objectname.Names
}

func (c *converter) add(s Severity, ptr, format string, args ...any) {
	c.findings = append(c.findings, Finding{s, ptr, fmt.Sprintf(format, args...)})
}

// Convert turns a configuration into objects: first the ToolPolicy, then a ToolSchema for
// each of its schemas, by name. There is none where an Error is found.
//
// An empty or absent declared_tools allows every name, as the gateway has it; of the
// other restrictions none is loosened. Calls are judged too, which the gateway does not.
func Convert(text []byte, opts Options) ([]Object, []Finding) {
	c := &converter{opts: opts}
	root, err := decode(text)
	if err != nil {
		c.add(Error, "", "a configuration is wanted here: %v", err)
		return nil, c.findings
	}
	if c.members(root, "", "pack", "policies", "policy"); c.chain(root) {
		c.section(root)
	}
	if slices.ContainsFunc(c.findings, func(f Finding) bool { return f.Severity == Error }) {
		return nil, c.findings
	}
	return c.objects, c.findings
}

// decode keeps integers apart from other numbers, as Kubernetes' JSON does.
func decode(text []byte) (map[string]any, error) {
	var root map[string]any
	if err := utiljson.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if root == nil {
		return nil, errors.New("it is no object")
	}
	return root, nil
}

// members refuses what is not known: a misspelt restriction would be none.
func (c *converter) members(obj map[string]any, ptr string, known ...string) {
	for _, key := range slices.Sorted(maps.Keys(obj)) {
		if !slices.Contains(known, key) {
			c.add(Error, rawjson.AppendToken(ptr, key), "unknown member: %s has %s", where(ptr), list(known))
		}
	}
}

// chain reads the pack and the chain. It reports false where the policy is not in force.
func (c *converter) chain(root map[string]any) bool {
	if pack, ok := optional[map[string]any](c, root, "", "pack", "an object"); ok {
		c.members(pack, "/pack", "name", "version", "enabled")
		if _, ok := optional[string](c, pack, "/pack", "name", "a string"); !ok && pack["name"] != nil {
			return false
		}
		if enabled, ok := optional[bool](c, pack, "/pack", "enabled", "true or false"); ok && !enabled {
			c.add(Warning, "/pack/enabled", "the pack is not enabled, so that there is no policy: everything is blocked with no_policy")
			return false
		}
	}
	policies, ok := optional[map[string]any](c, root, "", "policies", "an object")
	if !ok {
		return false
	}
	c.members(policies, "/policies", "chain")
	chain, _ := optional[[]any](c, policies, "/policies", "chain", "a list of names")
	found := false
	for i, entry := range chain {
		switch name, ok := entry.(string); {
		case !ok:
			c.add(Error, fmt.Sprintf("/policies/chain/%d", i), "the name of a policy is wanted here")
		case name == Section:
			found = true
		default:
			c.add(Warning, fmt.Sprintf("/policies/chain/%d", i), "%q is passed over: Callgate does what %s does, and nothing of the other policies", name, Section)
		}
	}
	if !found {
		c.add(Error, "/policies/chain", "the chain does not hold %s, so that nothing would be judged", Section)
	}
	return found
}

// optional reads a member of one type. ok is false where it is absent or something else.
func optional[T any](c *converter, obj map[string]any, ptr, key, wanted string) (v T, ok bool) {
	value, there := obj[key]
	if !there || value == nil {
		return v, false
	}
	if v, ok = value.(T); !ok {
		c.add(Error, rawjson.AppendToken(ptr, key), "%s must be %s", key, wanted)
	}
	return v, ok
}
