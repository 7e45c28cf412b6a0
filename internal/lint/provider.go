package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
)

// Provider is whose API the tools are offered to a model by.
type Provider string

// The providers.
const (
	OpenAI       Provider = "openai"
	OpenAIStrict Provider = "openai-strict"
	Anthropic    Provider = "anthropic"
	Gemini       Provider = "gemini"
	Bedrock      Provider = "bedrock"
	MCP          Provider = "mcp"
)

// Providers lists them.
func Providers() []Provider {
	return []Provider{OpenAI, OpenAIStrict, Anthropic, Gemini, Bedrock, MCP}
}

// subset is what a provider takes.
type subset struct {
	title string
	// name is what a tool's name must match, rule says it in words.
	name *regexp.Regexp
	rule string
	// key is what the name of an argument must match; nil: anything.
	key     *regexp.Regexp
	keyRule string
	// object: the root must say "type": "object".
	object bool
	// root are the keywords that the root must not have, with what to do instead.
	root []string
	// strict: OpenAI's Structured Outputs.
	strict bool
	// narrow: Gemini's own schema language, if the schema is sent as "parameters".
	narrow bool
}

// The facts come from the providers' documents and from the errors of their APIs, as
// docs/formats.md has them.
var subsets = map[Provider]subset{
	OpenAI: {
		title: "OpenAI", name: regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`), rule: "1 to 64 letters, digits, _ and -",
		object: true, root: []string{"oneOf", "anyOf", "allOf", "enum", "not"},
	},
	OpenAIStrict: {
		title: "OpenAI's strict mode", name: regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`), rule: "1 to 64 letters, digits, _ and -",
		object: true, root: []string{"anyOf"}, strict: true,
	},
	Anthropic: {
		title: "Anthropic", name: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`), rule: "1 to 128 letters, digits, _ and -",
		key: regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`), keyRule: "1 to 64 letters, digits, _, . and -",
		object: true, root: []string{"oneOf", "allOf", "anyOf"},
	},
	Gemini: {
		title: "Gemini", name: regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$`), rule: "a letter or _, then up to 127 letters, digits, _, ., : and -",
		key: regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`), keyRule: "a letter or _, then up to 63 letters, digits and _",
		narrow: true,
	},
	Bedrock: {
		title: "Bedrock", name: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), rule: "1 to 64 letters, digits, _ and -",
	},
	MCP: {
		title: "MCP", name: regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`), rule: "1 to 128 letters, digits, _, . and -",
		object: true,
	},
}

// providers holds the tool to what the providers take.
func (l *schemaLinter) providers() {
	for _, p := range l.opts.Providers {
		s, ok := subsets[p]
		if !ok {
			continue
		}
		name, pointer := l.object.Spec.ToolName, "/spec/toolName"
		if name == "" {
			name, pointer = l.object.Name, "/metadata/name"
		}
		if !s.name.MatchString(name) {
			l.field(ruleProviderName, pointer, fmt.Sprintf("%s refuses the name \"%s\": it takes %s", s.title, shown.Name(name), s.rule))
		}
		if l.doc == nil {
			continue
		}
		l.root(s)
		l.keys(s)
		if s.strict {
			l.strict(s.title)
		}
		if s.narrow {
			l.narrow(s.title)
		}
	}
}

// root holds the root of the schema to what the provider takes there.
func (l *schemaLinter) root(s subset) {
	if s.object && text(l.doc.root, "type") != "object" {
		l.at(ruleProviderSchema, "", s.title+` refuses a schema whose root does not say "type": "object"`)
	}
	for _, keyword := range s.root {
		if l.doc.root.Get(keyword) != nil {
			l.at(ruleProviderSchema, "/"+keyword, fmt.Sprintf("%s refuses %s at the root: say it of the properties, or check it with a rule of the policy", s.title, keyword))
		}
	}
}

// keys holds the names of arguments to what the provider takes.
func (l *schemaLinter) keys(s subset) {
	if s.key == nil {
		return
	}
	for id := range l.doc.nodes {
		if n := &l.doc.nodes[id]; n.keyword == "properties" && !s.key.MatchString(n.name) {
			l.at(ruleProviderKey, n.path, fmt.Sprintf("%s refuses a request with the property \"%s\": it takes %s", s.title, shown.Name(n.name), s.keyRule))
		}
	}
}

// narrow tells what Gemini's own schema language does not have.
func (l *schemaLinter) narrow(title string) {
	const instead = ": send the schema as parametersJsonSchema"
	for id := range l.doc.nodes {
		n := &l.doc.nodes[id]
		for _, keyword := range [...]string{"const", "oneOf", "allOf", "not", "$ref", "patternProperties"} {
			if n.value.Get(keyword) != nil {
				l.at(ruleProviderSchema, n.path+"/"+rawjson.EscapeToken(keyword), title+" refuses "+keyword+" in parameters"+instead)
			}
		}
		if t := n.value.Get("type"); t != nil && t.Kind == rawjson.Array {
			l.at(ruleProviderSchema, n.path+"/type", title+" refuses a list of types in parameters, where it has nullable"+instead)
		}
		if e := n.value.Get("enum"); e != nil && slices.ContainsFunc(e.Items, func(v *rawjson.Value) bool { return v.Kind != rawjson.String }) {
			l.at(ruleProviderSchema, n.path+"/enum", title+" takes strings alone in an enum of parameters"+instead)
		}
	}
}

// ProviderNames lists the providers for people.
func ProviderNames() string {
	var names []string
	for _, p := range Providers() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}
