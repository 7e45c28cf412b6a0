package toolcall

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// What the semantic validator gets to see of an entry, by key. It is another party than
// those whom an entry's options and credentials are for, so that everything is left out
// which is not listed here, whoever may have put a secret into it.
var (
	// shownWhole are schemas, of whose properties any may have any name.
	shownWhole = []string{
		"parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema",
		"outputSchema", "output_schema", "response", "responseJsonSchema", "response_json_schema", "format",
	}
	// shownMembers say what a tool is and what of it is offered. Objects in them are held
	// to these lists again.
	shownMembers = []string{
		"type", "name", "title", "description", "strict", "function", "custom", "toolSpec", "systemTool", "cachePoint",
		"tools", "functionDeclarations", "function_declarations", "namespace",
		"server_label", "server_description", "mcp_server_name", "mcpServers", "mcp_servers", "tool_configuration",
		"allowed_tools", "tool_names", "read_only", "enabled", "default_config", "defer_loading", "require_approval", "always", "never",
		"allowed_callers", "filters", "allowed_domains", "blocked_domains", "max_uses",
	}
	// shownHosts are addresses, whose user, path and query may be credentials.
	shownHosts = []string{"server_url", "url"}
	// shownByName have one member for each tool.
	shownByName = []string{"configs"}
	// namingKeys say what an entry is, so that no other of its keys does.
	namingKeys = []string{"type", "name", "function", "custom", "toolSpec", "systemTool", "server_label", "mcp_server_name"}
)

// forValidator writes the entries as one list, with no more of each than is listed.
func forValidator(entries [][]byte) []byte {
	out := []byte{'['}
	for i, raw := range entries {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendShown(out, raw, !hasKey(raw, namingKeys))
	}
	return append(out, ']')
}

// appendShown writes a value. The body's depth is bounded, and so is this. byKey:
// an object is an entry of tools that go by their keys.
func appendShown(out, raw []byte, byKey bool) []byte {
	switch rawjson.KindOf(raw) {
	case rawjson.Object:
		return appendShownObject(out, raw, byKey)
	case rawjson.Array:
		items, _ := rawjson.Elements(raw, len(raw))
		out = append(out, '[')
		for i, item := range items {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendShown(out, item, false)
		}
		return append(out, ']')
	}
	return append(out, raw...)
}

func appendShownObject(out, raw []byte, byKey bool) []byte {
	members, _ := rawjson.Members(raw, len(raw))
	out = append(out, '{')
	first := true
	for _, m := range members {
		value := shownMember(m, byKey)
		if value == nil {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(rawjson.AppendString(out, m.Key), ':')
		out = append(out, value...)
	}
	return append(out, '}')
}

// shownMember is what is shown of a member's value, nil if nothing.
func shownMember(m rawjson.Member, byKey bool) []byte {
	switch {
	case slices.Contains(shownWhole, m.Key):
		return m.Value
	case slices.Contains(shownMembers, m.Key):
		return appendShown(nil, m.Value, false)
	case slices.Contains(shownHosts, m.Key):
		return shownHost(m.Value)
	case slices.Contains(shownByName, m.Key):
		return shownNames(m.Value)
	case byKey && isUnknownObject(m):
		return []byte("{}")
	}
	return nil
}

// shownHost is the scheme and the host of an address.
func shownHost(raw []byte) []byte {
	text, ok := plainText(raw)
	if !ok {
		return nil
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	host := rest[strings.LastIndexByte(rest, '@')+1:]
	if !ok || host == "" || strings.ContainsFunc(scheme+host, notHost) {
		return nil
	}
	return rawjson.AppendString(nil, scheme+"://"+host)
}

// notHost says of a character that no host, port or scheme has it.
func notHost(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune(".:-+[]", r)
}

// shownNames shows an object that has one member for each tool.
func shownNames(raw []byte) []byte {
	members, err := rawjson.Members(raw, len(raw))
	if err != nil {
		return nil
	}
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, m.Key), ':')
		if rawjson.KindOf(m.Value) == rawjson.Object {
			out = appendShownObject(out, m.Value, false)
		} else {
			out = append(out, "null"...)
		}
	}
	return append(out, '}')
}
