package toolcall

import (
	"errors"
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// entryKeys are the deciding fields of an entry, in every format: those that name a
// tool, that hold others, that say whose tools they are, and that have its schema.
var entryKeys = []string{
	"type", "name", "function", "custom", "toolSpec", "systemTool", "cachePoint",
	"tools", "functionDeclarations", "function_declarations",
	"server_label", "mcp_server_name", "allowed_tools", "configs", "default_config", "tool_configuration",
	"parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema",
}

// nestedKeys hold the rest of an entry of one tool.
var nestedKeys = []string{"function", "custom", "toolSpec", "systemTool"}

// entry is one tool under reading.
type entry struct {
	names   []string
	flaw    EntryFault
	schemas []OfferedSchema
}

// fault keeps the first fault: it is the more general.
func (e *entry) fault(f EntryFault) {
	if e.flaw == EntryOK {
		e.flaw = f
	}
}

// name takes what a field that may name a tool holds. Nothing and "" name none.
func (e *entry) name(raw []byte) {
	if isNull(raw) {
		return
	}
	if rawjson.KindOf(raw) != rawjson.String {
		e.fault(EntryAmbiguous)
		return
	}
	text, bad := rawjson.Text(raw)
	if bad {
		e.fault(EntryAmbiguous)
	}
	e.called(text)
}

func (e *entry) called(name string) {
	if name != "" && !slices.Contains(e.names, name) {
		e.names = append(e.names, name)
	}
}

// schema takes what a field for the arguments' schema holds, if anything.
func (e *entry) schema(raw []byte, language SchemaLanguage) {
	if raw != nil && !isNull(raw) {
		e.schemas = append(e.schemas, OfferedSchema{Text: raw, Language: language})
	}
}

// finish holds an entry of one tool to its one name.
func (e *entry) finish(prefix string) OfferEntry {
	switch {
	case len(e.names) == 0:
		e.fault(EntryNoName)
	case len(e.names) > 1:
		e.fault(EntryTwoNames)
	}
	return e.entry(prefix)
}

// entry gives the entry with the names in a namespace, or of a server.
func (e *entry) entry(prefix string) OfferEntry {
	out := OfferEntry{Fault: e.flaw, Schemas: e.schemas}
	for _, name := range e.names {
		out.Names = append(out.Names, Call{Server: prefix, Name: name}.EffectiveName())
	}
	return out
}

// entry reads an element of a list of tools.
func (r *offerReader) entry(raw []byte) { r.entryIn("", raw) }

// entryIn reads one in a namespace.
func (r *offerReader) entryIn(prefix string, raw []byte) {
	defer func(outer []byte) { r.reading = outer }(r.reading)
	r.reading = raw
	var e entry
	o, err := readObject(raw, entryKeys...)
	if err != nil {
		e.fault(EntryNotAnObject)
		r.put(e.entry(prefix))
		return
	}
	o.alias("function_declarations", "functionDeclarations")
	o.alias("parameters_json_schema", "parametersJsonSchema")
	if o.ambiguous() {
		e.fault(EntryAmbiguous)
	}
	e.nameAll(o)
	e.ownSchemas(o, LanguageDraft7)
	kind := o.word("type")
	if o.set("functionDeclarations") || r.format == Gemini && prefix == "" {
		r.declarations(&e, o, raw)
		return
	}
	e.builtIns(raw, kind)
	switch {
	case isRemote(kind) || o.set("server_label", "mcp_server_name"):
		r.remote(&e, o, kind, prefix)
	case o.set("tools") || kind == "namespace":
		r.namespace(&e, o, kind, prefix)
	default:
		e.typed(kind, o)
		r.put(e.finish(prefix))
	}
}

// nameAll takes every name that an entry, or a choice of one, has.
func (e *entry) nameAll(o object) {
	for _, m := range o.found {
		switch {
		case m.key == "name":
			e.name(m.value)
		case m.key == "tool" || slices.Contains(nestedKeys, m.key):
			e.nested(m)
		}
	}
}

// put adds an entry that stands in the list which is being read.
func (r *offerReader) put(e OfferEntry) {
	e.surfaced, e.raw = r.surfacing, r.reading
	r.add(nil, e)
}

// nested reads the object in which chat and Bedrock have what the tool is.
func (e *entry) nested(m member) {
	if isNull(m.value) {
		return
	}
	o, err := readObject(m.value, nestedMembers...)
	if err != nil {
		e.fault(EntryAmbiguous)
		return
	}
	if o.ambiguous() {
		e.fault(EntryAmbiguous)
	}
	e.within(m.value)
	for _, inner := range o.found {
		if inner.key == "name" {
			e.name(inner.value)
		}
	}
	if m.key != "toolSpec" {
		e.ownSchemas(o, LanguageDraft7)
		return
	}
	e.schema(o.value("parameters"), LanguageDraft7)
	e.schema(o.value("parametersJsonSchema"), LanguageDraft7)
	e.schema(o.value("input_schema"), LanguageDraft2020)
	if schema := o.value("inputSchema"); schema != nil && !isNull(schema) {
		e.schema(e.wrapped(schema), LanguageDraft7)
	}
}

// nestedMembers are the deciding fields of such an object.
var nestedMembers = []string{"name", "parameters", "input_schema", "inputSchema", "parametersJsonSchema"}

// wrapped is the schema that Bedrock has in {"json": …}. With anything beside that, or
// in its place, a reader could take the whole for the schema.
func (e *entry) wrapped(raw []byte) []byte {
	members, _ := rawjson.Members(raw, maxMembers)
	if len(members) > 1 || len(members) == 1 && members[0].Key != "json" {
		e.fault(EntryAmbiguous)
	}
	return e.only(raw, "json")
}

// only is the member of an object that has to have this key once.
func (e *entry) only(raw []byte, key string) []byte {
	o, err := readObject(raw, key)
	if err != nil || o.ambiguous() {
		e.fault(EntryAmbiguous)
		return nil
	}
	return o.value(key)
}

// ownSchemas reads the schemas that stand in the entry itself.
func (e *entry) ownSchemas(o object, parameters SchemaLanguage) {
	e.schema(o.value("parameters"), parameters)
	e.schema(o.value("parametersJsonSchema"), LanguageDraft7)
	e.schema(o.value("input_schema"), LanguageDraft2020)
	e.schema(o.value("inputSchema"), LanguageDraft2020)
}

// word is the text of a field, "" if it has none or no text.
func (o object) word(key string) string {
	text, _ := plainText(o.value(key))
	return text
}

// typed takes the type of an entry for its name, where it is that of a provider's own
// tool. One that has a name besides has to have the name that goes with its type: an
// executor that goes by the type would run another tool than the name says.
func (e *entry) typed(kind string, o object) {
	if o.set("type") && kind == "" && o.word("type") == "" && !isEmptyText(o.value("type")) {
		e.fault(EntryAmbiguous)
	}
	switch kind {
	case "", "function", "custom", "namespace":
		return
	}
	base := undated(kind)
	if slices.ContainsFunc(e.names, func(name string) bool { return name == kind || isNameOf(base, name) }) {
		return
	}
	e.called(base)
}

func isEmptyText(raw []byte) bool {
	text, ok := plainText(raw)
	return ok && text == ""
}

// isNameOf says whether a provider's tool of that type goes by the name.
func isNameOf(base, name string) bool {
	return name == base || base == "text_editor" && (name == "str_replace_editor" || name == "str_replace_based_edit_tool")
}

// undated drops the version from a type, which is a date: web_search_20250305,
// web_search_preview_2025_03_11.
func undated(kind string) string {
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	if at := len(kind) - len("_20250305"); at > 0 && kind[at] == '_' && digits(kind[at+1:]) {
		return kind[:at]
	}
	if at := len(kind) - len("_2025_03_11"); at > 0 && kind[at] == '_' {
		date := strings.Split(kind[at+1:], "_")
		if len(date) == 3 && len(date[0]) == 4 && len(date[1]) == 2 && digits(strings.Join(date, "")) {
			return kind[:at]
		}
	}
	return kind
}

// namespace reads the tools that an entry holds. A namespace is no tool itself; any
// other entry that holds tools is one beside them.
func (r *offerReader) namespace(e *entry, o object, kind, prefix string) {
	own := *e
	own.typed(kind, o)
	if len(own.names) > 1 {
		own.fault(EntryTwoNames)
	}
	count := len(r.entries)
	inner := prefix
	if len(own.names) > 0 {
		inner = Call{Server: prefix, Name: own.names[0]}.EffectiveName()
	} else {
		own.fault(EntryNoName)
	}
	for _, m := range o.found {
		if m.key == "tools" {
			r.nestedList(&own, m.value, func(raw []byte) { r.entryIn(inner, raw) })
		}
	}
	switch {
	case kind != "namespace":
		r.put(own.finish(prefix))
	case own.flaw != EntryOK:
		r.put(own.entry(prefix))
	case len(r.entries) == count:
		r.put(OfferEntry{Fault: EntryNoName})
	}
}

// nestedList reads a list within an entry.
func (r *offerReader) nestedList(e *entry, raw []byte, read func([]byte)) {
	if isNull(raw) {
		return
	}
	items, err := rawjson.Elements(raw, MaxOffered)
	if errors.Is(err, rawjson.ErrTooMany) {
		r.tooMany = true
	}
	if err != nil {
		e.fault(EntryAmbiguous)
		return
	}
	for _, item := range items {
		if r.tooMany {
			return
		}
		read(item)
	}
}

// declarations reads an entry of Gemini's: a list of declarations, and beside it one
// key for each of the provider's own tools.
func (r *offerReader) declarations(e *entry, o object, raw []byte) {
	count := len(r.entries)
	e.typed(o.word("type"), o)
	if o.set("tools", "server_label", "mcp_server_name") {
		e.fault(EntryTwoNames)
		r.nestedNames(e, o)
	}
	for _, m := range o.found {
		if m.key == "functionDeclarations" {
			r.nestedList(e, m.value, r.declaration)
		}
	}
	r.builtIns(raw)
	others := len(r.entries) > count
	if len(e.names) > 0 && others {
		e.fault(EntryTwoNames)
	}
	switch {
	case !others:
		r.put(e.finish(""))
	case e.flaw != EntryOK:
		r.put(e.entry(""))
	}
}

// builtIns reads the provider's own tools, which go by their key.
func (r *offerReader) builtIns(raw []byte) {
	members, _ := rawjson.Members(raw, maxMembers) // readObject has read them before
	for _, m := range members {
		if _, known := resembled(m.Key, entryKeys); !known && !isNull(m.Value) {
			r.put((&entry{names: []string{camelCase(m.Key)}}).finish(""))
		}
	}
}

// declaration reads one function declaration.
func (r *offerReader) declaration(raw []byte) {
	defer func(outer []byte) { r.reading = outer }(r.reading)
	r.reading = raw
	var e entry
	o, err := readObject(raw, entryKeys...)
	if err != nil {
		e.fault(EntryNotAnObject)
		r.put(e.entry(""))
		return
	}
	o.alias("parameters_json_schema", "parametersJsonSchema")
	if o.ambiguous() || o.set("tools", "functionDeclarations", "function_declarations", "server_label", "mcp_server_name") {
		e.fault(EntryAmbiguous)
	}
	e.nameAll(o)
	e.ownSchemas(o, LanguageOpenAPI)
	e.builtIns(raw, "declaration")
	r.put(e.finish(""))
}

// camelCase is the one name of a field that protobuf's JSON reads in two spellings.
func camelCase(key string) string {
	var b strings.Builder
	up := false
	for _, c := range key {
		switch {
		case c == '_' && b.Len() > 0:
			up = true
		case up && 'a' <= c && c <= 'z':
			b.WriteRune(c - 'a' + 'A')
			up = false
		default:
			b.WriteRune(c)
			up = false
		}
	}
	return b.String()
}

// unionEntry reads an element of Bedrock's list, in which a cachePoint is no tool.
func (r *offerReader) unionEntry(raw []byte) {
	members, err := rawjson.Members(raw, maxMembers)
	if err == nil && len(members) == 1 && members[0].Key == "cachePoint" && isCachePoint(members[0].Value) {
		return
	}
	r.entry(raw)
}

// isCachePoint says whether a cachePoint has nothing in it that could be a tool: it is
// one of words, such as {"type": "default", "ttl": "5m"}.
func isCachePoint(raw []byte) bool {
	members, err := rawjson.Members(raw, maxMembers)
	return err == nil && !slices.ContainsFunc(members, func(m rawjson.Member) bool {
		_, deciding := resembled(m.Key, entryKeys)
		kind := rawjson.KindOf(m.Value)
		return deciding && m.Key != "type" || kind == rawjson.Object || kind == rawjson.Array
	})
}
