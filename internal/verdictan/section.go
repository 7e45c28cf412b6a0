package verdictan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

const section = "/policy/" + Section

// section reads what the policy itself says.
func (c *converter) section(root map[string]any) {
	policy, _ := optional[map[string]any](c, root, "", "policy", "an object")
	for _, key := range slices.Sorted(maps.Keys(policy)) {
		if key != Section {
			c.add(Warning, rawjson.AppendToken("/policy", key), "passed over: Callgate reads %s alone", Section)
		}
	}
	settings, _ := optional[map[string]any](c, policy, "/policy", Section, "an object")
	c.members(settings, section, "declared_tools", "schemas", "allow_undeclared", "semantic_validation")

	from := map[string]string{"": section, "/spec": section}
	spec := map[string]any{"subjects": map[string]any{"serviceAccountNames": c.subjects()}}
	spec["declaredTools"] = c.declared(settings, from)
	if undeclared, _ := optional[bool](c, settings, section, "allow_undeclared", "true or false"); undeclared {
		spec["undeclaredTools"] = "Allow"
		from["/spec/undeclaredTools"] = section + "/allow_undeclared"
	}
	if semantic := c.semantic(settings); semantic != nil {
		spec["semanticValidation"] = semantic
		for of, is := range map[string]string{ //nolint:gosec // the names of members
			"": "", "/endpoint": "/endpoint", "/model": "/model", "/secretKeyRef": "/secret_key_ref/env", "/timeoutMilliseconds": "/timeout_ms",
		} {
			from["/spec/semanticValidation"+of] = section + "/semantic_validation" + is
		}
	}
	pack, _ := root["pack"].(map[string]any)
	name, _ := pack["name"].(string)
	c.object("ToolPolicy", onlyName(name, Section), spec, from)
	c.schemas(settings)
}

func (c *converter) subjects() []any {
	if len(c.opts.ServiceAccounts) == 0 {
		return []any{"*"}
	}
	var names []any
	for _, n := range c.opts.ServiceAccounts {
		names = append(names, n)
	}
	return names
}

// declared reads the allow list. A tool that it has twice is one tool.
func (c *converter) declared(settings map[string]any, from map[string]string) []any {
	tools, _ := optional[[]any](c, settings, section, "declared_tools", "a list of names")
	from["/spec/declaredTools"] = section + "/declared_tools"
	var declared []any
	seen := map[string]bool{}
	for i, tool := range tools {
		at := fmt.Sprintf("%s/declared_tools/%d", section, i)
		name, ok := tool.(string)
		switch {
		case !ok:
			c.add(Error, at, "the name of a tool is wanted here: quote it")
		case name == "*":
			c.add(Error, at, "the gateway takes * for a tool of that name, and a ToolPolicy for every tool: leave the list empty if that is meant")
		case seen[name]:
			c.add(Warning, at, "%q is listed twice", name)
		default:
			seen[name] = true
			from[fmt.Sprintf("/spec/declaredTools/%d", len(declared))] = at
			declared = append(declared, name)
		}
	}
	if len(declared) == 0 {
		c.add(Warning, section+"/declared_tools", "no tools are declared, which allows every name: set the list before you rely on the block")
		return []any{"*"}
	}
	return declared
}

// semantic reads the settings of the validator, nil where it is off.
func (c *converter) semantic(settings map[string]any) map[string]any {
	const ptr = section + "/semantic_validation"
	s, _ := optional[map[string]any](c, settings, section, "semantic_validation", "an object")
	c.members(s, ptr, "enabled", "endpoint", "model", "secret_key_ref", "timeout_ms")
	if enabled, _ := optional[bool](c, s, ptr, "enabled", "true or false"); !enabled {
		return nil
	}
	out := map[string]any{}
	if endpoint, ok := optional[string](c, s, ptr, "endpoint", "a URL"); ok {
		out["endpoint"] = endpoint
	} else if s["endpoint"] == nil {
		c.add(Error, ptr, "endpoint is required where the validator is enabled")
	}
	if model, ok := optional[string](c, s, ptr, "model", "a string"); ok {
		out["model"] = model
	}
	if timeout, ok := optional[int64](c, s, ptr, "timeout_ms", "a whole number of milliseconds"); ok {
		out["timeoutMilliseconds"] = timeout
	}
	ref, _ := optional[map[string]any](c, s, ptr, "secret_key_ref", "an object")
	c.members(ref, ptr+"/secret_key_ref", "env")
	if env, ok := optional[string](c, ref, ptr+"/secret_key_ref", "env", "the name of a variable"); ok {
		name := onlyName(env, "validator")
		out["secretKeyRef"] = map[string]any{"name": name, "key": "token"}
		c.add(Warning, ptr+"/secret_key_ref/env", "the token is read from the key token of the Secret %s, of type callgate.dev/bearer-token, and no longer from the variable %s: make that Secret", name, env)
	}
	return out
}

func (c *converter) schemas(settings map[string]any) {
	schemas, _ := optional[map[string]any](c, settings, section, "schemas", "an object of schemas by tool name")
	if len(schemas) == 0 {
		c.add(Warning, section, "there are no schemas: offers are judged, but every call will be unknown_tool until its tool has a ToolSchema, or the ToolPolicy says unvalidatedCalls: Allow")
	}
	for _, tool := range slices.Sorted(maps.Keys(schemas)) {
		at := rawjson.AppendToken(section+"/schemas", tool)
		schema, ok := schemas[tool].(map[string]any)
		if !ok {
			c.add(Error, at, "a JSON Schema object is wanted here")
			continue
		}
		c.object("ToolSchema", c.schemaName(tool), map[string]any{"toolName": tool, "dialect": "Draft7", "parameters": schema},
			map[string]string{"": at, "/spec": at, "/spec/parameters": at, "/spec/toolName": at})
	}
}

func (c *converter) object(kind, name string, spec map[string]any, from map[string]string) {
	c.objects = append(c.objects, Object{Kind: kind, From: from, Content: map[string]any{
		"apiVersion": c.opts.APIVersion, "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec,
	}})
}
