package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/internal/objectname"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/toolcall"
)

// maxDeclared is how many names a ToolPolicy may declare.
const maxDeclared = 512

// maxDescription is how long a ToolSchema's description may be, in code points.
const maxDescription = 4096

// Options are what a list of tools does not say.
type Options struct {
	// APIVersion is that of the objects.
	APIVersion string
	// Namespace is that of the objects; "" leaves it to whoever applies them.
	Namespace string
	// PolicyName is the ToolPolicy's.
	PolicyName string
	// ServiceAccounts are whom the policy is about. Absent: every one of the namespace.
	ServiceAccounts []string
	// Server is the MCP server of the tools, "" for none.
	Server string
}

// Object is one object, without status.
type Object struct {
	Kind, Name string
	Content    map[string]any
}

// Result is what was made of a text.
type Result struct {
	// Objects are the ToolPolicy and then the ToolSchemas, in the order of the tools.
	Objects []Object
	// Notes say what a reader should know, in the order of the tools.
	Notes []string
}

// Source is a kind of text that lists tools.
type Source string

// The sources.
const (
	MCP       Source = "mcp"
	OpenAI    Source = "openai"
	Anthropic Source = "anthropic"
)

// ErrNoTools: the text lists no tool.
var ErrNoTools = errors.New("the text lists no tools")

// Tools makes a ToolSchema of each tool that a text lists, and a ToolPolicy that declares
// them. What it cannot tell for sure, such as which of two names a tool has, it leaves out
// with a note: an agent that needs it is blocked, and nobody else is let through.
func Tools(source Source, text []byte, opts Options) (Result, error) {
	pages, notes, err := pagesOf(source, text)
	if err != nil {
		return Result{}, err
	}
	c := &collector{opts: opts, source: source, notes: notes, seen: map[string]bool{}}
	for _, page := range pages {
		offer, err := toolcall.DecodeOffer(page.format, page.body)
		if err != nil {
			return Result{}, err
		}
		about := describe(page.body)
		for i := range offer.Entries {
			c.entry(&offer.Entries[i], about)
		}
	}
	if len(c.declared) == 0 {
		return Result{}, ErrNoTools
	}
	c.name()
	objects := append([]Object{c.policy()}, c.schemas...)
	return Result{Objects: objects, Notes: c.notes}, nil
}

// collector makes objects of entries.
type collector struct {
	opts     Options
	source   Source
	names    objectname.Names
	seen     map[string]bool
	declared []string
	schemas  []Object
	// effective are the tools' names, one for each of schemas.
	effective []string
	notes     []string
}

func (c *collector) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

func (c *collector) entry(e *toolcall.OfferEntry, about descriptions) {
	if e.Fault != toolcall.EntryOK {
		c.note("entry %d is left out: %s", e.Index, e.Fault)
		return
	}
	for _, name := range e.Names {
		if c.seen[name] {
			c.note("%s is listed twice: the first is taken", shown.Name(name))
			continue
		}
		if !canBeNamed(name) {
			c.note("entry %d is left out: its name has control characters, or more than %d characters, and no ToolSchema can have it", e.Index, maxName)
			continue
		}
		if name == "*" && c.opts.Server == "" {
			c.note("entry %d is left out: a ToolPolicy takes the name * for every tool", e.Index)
			continue
		}
		c.seen[name] = true
		c.tool(name, e, about[lastPart(name)])
	}
}

// maxName is how long a ToolSchema's toolName may be, in code points.
const maxName = 128

// canBeNamed reports whether a ToolSchema can have the name.
func canBeNamed(name string) bool {
	return name != "" && utf8.RuneCountInString(name) <= maxName && !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || odd(r) })
}

// tool makes the ToolSchema of one tool, if it has arguments that a schema can describe.
func (c *collector) tool(name string, e *toolcall.OfferEntry, about description) {
	effective := name
	if c.opts.Server != "" {
		effective = c.opts.Server + "/" + name
	}
	c.declared = append(c.declared, effective)
	spec := map[string]any{"toolName": name}
	switch {
	case len(e.Schemas) > 0:
		keyword, value, why := parameters(e.Schemas[0].Text)
		spec[keyword] = value
		if why != "" {
			c.note("the schema of %s is kept as text, because %s", shown.Name(name), why)
		}
		if e.Schemas[0].Language == toolcall.LanguageDraft2020 {
			spec["dialect"] = "Draft2020-12"
		} else {
			spec["dialect"] = "Draft7"
		}
	case !about.function:
		c.note("%s is declared and has no ToolSchema, since its arguments are no JSON or its provider runs it: calls to it are unknown_tool unless the ToolPolicy says unvalidatedCalls: Allow", shown.Name(name))
		return
	default:
		c.note("%s takes no arguments", shown.Name(name))
	}
	if c.opts.Server != "" {
		spec["server"] = c.opts.Server
	}
	if about.text != "" {
		spec["description"] = shown.Cut(strings.Map(plain, about.text), maxDescription-1)
	}
	c.effective = append(c.effective, effective)
	c.schemas = append(c.schemas, c.object("ToolSchema", "", spec))
}

// plain replaces what YAML cannot hold.
func plain(r rune) rune {
	if odd(r) || r < ' ' && r != '\n' && r != '\t' {
		return ' '
	}
	return r
}

// name names the objects by their tools in the order of their names, so that the order in
// which a server lists them decides nothing.
func (c *collector) name() {
	order := make([]int, len(c.schemas))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(c.effective[a], c.effective[b]) })
	for _, i := range order {
		object, other := c.names.For(c.effective[i], "tool")
		if other != "" {
			c.note("%s and %s make the same name of an object: the second is called %s", shown.Name(other), shown.Name(c.effective[i]), object)
		}
		c.schemas[i].Name = object
		c.schemas[i].Content["metadata"].(map[string]any)["name"] = object
	}
}

func (c *collector) policy() Object {
	accounts := []any{"*"}
	if len(c.opts.ServiceAccounts) > 0 {
		accounts = nil
		for _, a := range c.opts.ServiceAccounts {
			accounts = append(accounts, a)
		}
	} else {
		c.note("the ToolPolicy is about every ServiceAccount of its namespace: name those that are meant")
	}
	declared := c.declared
	if len(declared) > maxDeclared {
		c.note("%d tools are more than the %d that a ToolPolicy can declare: it declares *, which lets through what has a ToolSchema", len(declared), maxDeclared)
		declared = []string{"*"}
	}
	declared = slices.Sorted(slices.Values(declared))
	list := make([]any, 0, len(declared))
	for _, name := range declared {
		list = append(list, name)
	}
	return c.object("ToolPolicy", c.opts.PolicyName, map[string]any{
		"subjects": map[string]any{"serviceAccountNames": accounts}, "declaredTools": list,
	})
}

func (c *collector) object(kind, name string, spec map[string]any) Object {
	metadata := map[string]any{"name": name}
	if c.opts.Namespace != "" {
		metadata["namespace"] = c.opts.Namespace
	}
	return Object{Kind: kind, Name: name, Content: map[string]any{
		"apiVersion": c.opts.APIVersion, "kind": kind, "metadata": metadata, "spec": spec,
	}}
}
