package toolcall

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// remotePrefix marks the name of a whole MCP server, all of whose tools are offered.
const remotePrefix = "mcp:"

// remote reads an entry that offers an MCP server's tools: OpenAI's {type: mcp,
// server_label, allowed_tools} and Anthropic's {type: mcp_toolset, mcp_server_name,
// default_config, configs, tools}. Without a filter that says which, it is all of them.
func (r *offerReader) remote(e *entry, o object, kind, prefix string) {
	var label entry
	for _, m := range o.found {
		if m.key == "server_label" || m.key == "mcp_server_name" {
			label.name(m.value)
		}
	}
	if !isRemote(kind) {
		e.typed(kind, o)
	}
	e.fault(label.flaw)
	e.fault(remoteFault(e, label, prefix != "" || !isRemote(kind) || kind == "mcp" && o.set("tools")))
	switch {
	case e.flaw != EntryOK:
		for _, server := range label.names {
			e.called(remotePrefix + server)
		}
		e.schemas = nil
		r.nestedNames(e, o)
		r.put(e.entry(prefix))
	case kind == "mcp_toolset":
		r.toolsets = append(r.toolsets, label.names[0])
		r.toolset(label.names[0], o)
	default:
		r.filtered(label.names[0], o.value("allowed_tools"))
	}
}

// remoteFault says why an entry is not the one of one server. foreign: it is as much
// an entry of another kind.
func remoteFault(e *entry, label entry, foreign bool) EntryFault {
	switch {
	case len(label.names) == 0 && len(e.names) == 0:
		return EntryNoName
	case len(label.names) > 1, len(e.names) > 0, foreign:
		return EntryTwoNames
	}
	return EntryOK
}

func isRemote(kind string) bool { return kind == "mcp" || kind == "mcp_toolset" }

// nestedNames collects the names of tools within an entry that cannot be understood.
func (r *offerReader) nestedNames(e *entry, o object) {
	for _, m := range o.found {
		if m.key != "tools" {
			continue
		}
		items, _ := rawjson.Elements(m.value, MaxOffered)
		for _, item := range items {
			if inner, err := readObject(item, "name"); err == nil {
				e.name(inner.value("name"))
			}
		}
	}
}

// filtered offers what a list of names, or an object with tool_names, lets through. A
// filter that lists none, or goes by something else than names, says nothing.
func (r *offerReader) filtered(server string, filter []byte) {
	var e entry
	if rawjson.KindOf(filter) == rawjson.Object {
		o, err := readObject(filter, "tool_names")
		if err != nil || o.ambiguous() {
			e.fault(EntryAmbiguous)
		}
		filter = o.value("tool_names")
	}
	if filter != nil && !isNull(filter) {
		names, err := rawjson.Elements(filter, MaxOffered)
		if err != nil {
			e.fault(EntryAmbiguous)
		}
		for _, name := range names {
			if text, ok := plainText(name); !ok || text == "" {
				e.fault(EntryAmbiguous)
			}
			e.name(name)
		}
	}
	r.putRemote(server, &e)
}

// putRemote adds the tools of a server that a filter lets through, or all of them.
func (r *offerReader) putRemote(server string, e *entry) {
	if len(e.names) == 0 {
		r.put(OfferEntry{Names: []string{remotePrefix + server}, Fault: e.flaw})
		return
	}
	out := e.entry(server)
	r.put(out)
}

// toolset reads the filter of an mcp_toolset: what the server lists, if the request
// pins that, else what configs enable where the default is off.
func (r *offerReader) toolset(server string, o object) {
	var e entry
	settings, ok := readSettings(o.value("configs"))
	fallback, sure := enabled(o.value("default_config"), true)
	if !ok || !sure {
		e.fault(EntryAmbiguous)
	}
	pinned := o.set("tools")
	switch {
	case pinned:
		r.nestedList(&e, o.value("tools"), func(raw []byte) {
			if name := e.pinnedName(raw); settings.on(name, fallback) {
				e.called(name)
			}
		})
	case !fallback:
		for _, s := range settings {
			if settings.on(s.Key, fallback) {
				e.called(s.Key)
			}
		}
	}
	if len(e.names) == 0 && (pinned || !fallback) {
		r.put(OfferEntry{Fault: e.flaw}) // nothing gets through, until the conversation surfaces it
		return
	}
	r.putRemote(server, &e)
}

// pinnedName reads an element of what a server lists.
func (e *entry) pinnedName(raw []byte) string {
	o, err := readObject(raw, "name")
	if err != nil || o.ambiguous() || o.word("name") == "" {
		e.fault(EntryAmbiguous)
	}
	return o.word("name")
}

// toolSettings are the settings of a toolset by tool name.
type toolSettings []rawjson.Member

// on says whether the tool is enabled. It is where nobody can say that it is not.
func (settings toolSettings) on(name string, fallback bool) bool {
	for _, s := range settings {
		if s.Key == name {
			is, sure := enabled(s.Value, fallback)
			return is || !sure
		}
	}
	return fallback
}

// readSettings reads the settings by tool name; a name that occurs twice is no name.
func readSettings(raw []byte) (settings toolSettings, ok bool) {
	if raw == nil || isNull(raw) {
		return nil, true
	}
	settings, err := rawjson.Members(raw, MaxOffered)
	if err != nil {
		return nil, false
	}
	for i, s := range settings {
		again := slices.ContainsFunc(settings[:i], func(other rawjson.Member) bool { return other.Key == s.Key })
		if again || s.BadKey || s.Key == "" {
			return settings, false
		}
	}
	return settings, true
}

// enabled reads {"enabled": …}. It is on where nobody can say that it is off.
func enabled(raw []byte, otherwise bool) (on, sure bool) {
	if raw == nil || isNull(raw) {
		return otherwise, true
	}
	o, err := readObject(raw, "enabled")
	if err != nil || o.ambiguous() {
		return true, false
	}
	switch v := o.value("enabled"); {
	case v == nil || isNull(v):
		return otherwise, true
	case rawjson.KindOf(v) != rawjson.Bool:
		return true, false
	default:
		return string(v) == "true", true
	}
}

// server reads an element of Anthropic's mcp_servers. One that a toolset names is
// offered by that.
func (r *offerReader) server(raw []byte) {
	var e entry
	o, err := readObject(raw, "name", "tool_configuration")
	if err != nil {
		r.put(OfferEntry{Fault: EntryNotAnObject})
		return
	}
	if o.ambiguous() {
		e.fault(EntryAmbiguous)
	}
	e.nameAll(o)
	allowed := e.serverFilter(o.value("tool_configuration"))
	whole := e.finish("")
	if whole.Fault != EntryOK {
		for i, name := range whole.Names {
			whole.Names[i] = remotePrefix + name
		}
		r.put(whole)
		return
	}
	name := whole.Names[0]
	switch {
	case slices.Contains(r.servers, name):
		r.put(OfferEntry{Names: []string{remotePrefix + name}, Fault: EntryDeclaredTwice})
	case !slices.Contains(r.toolsets, name):
		r.filtered(name, allowed)
	}
	r.servers = append(r.servers, name)
}

// serverFilter is the allowed_tools of a tool_configuration, if there is one.
func (e *entry) serverFilter(configuration []byte) []byte {
	if configuration == nil || isNull(configuration) {
		return nil
	}
	return e.only(configuration, "allowed_tools")
}
