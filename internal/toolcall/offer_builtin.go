package toolcall

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// builtInKeys are the provider's own tools that go by their key, as Gemini has them.
// A proxy takes them from an entry of any format.
var builtInKeys = []string{
	"googleSearch", "googleSearchRetrieval", "googleMaps", "urlContext", "codeExecution", "computerUse", "fileSearch",
	"enterpriseWebSearch", "exaAiSearch", "parallelAiSearch", "retrieval", "mcpServers",
}

// plainObjects are the members of a named entry that may hold an object and are no tool: what the formats, and libraries that write them, are known to
// have there besides the deciding keys.
var plainObjects = []string{
	"description", "format", "strict", "cache_control", "input_examples", "examples", "allowed_callers",
	"annotations", "outputSchema", "icons", "execution", "meta", "metadata", "security", "securitySchemes",
	"response", "responseJsonSchema", "return", "returns", "extras", "providerOptions",
}

// builtIns takes the provider's own tools that stand beside what the entry is. In an
// entry of a client's own tool, whose members are few, so is any other member that has
// an object; those of other entries come and go with the providers' options.
func (e *entry) builtIns(raw []byte, kind string) {
	members, _ := rawjson.Members(raw, maxMembers) // readObject has read them before
	own := kind == "" || kind == "function" || kind == "custom" || kind == "namespace"
	for _, m := range members {
		if isNull(m.Value) {
			continue
		}
		if key, ok := resembled(m.Key, builtInKeys); ok {
			e.called(key)
		} else if own && isUnknownObject(m) {
			e.called(camelCase(m.Key))
		}
	}
}

// within takes the provider's own tools that stand in the object of a client's own.
func (e *entry) within(raw []byte) {
	members, _ := rawjson.Members(raw, maxMembers) // readObject has read them before
	for _, m := range members {
		if isNull(m.Value) {
			continue
		}
		if key, ok := resembled(m.Key, builtInKeys); ok {
			e.called(key)
		} else if _, ok := resembled(m.Key, toolLists); ok {
			e.fault(EntryAmbiguous)
		}
	}
}

// toolLists are the keys of lists of tools, in any format.
var toolLists = []string{"tools", "functions", "functionDeclarations", "toolConfig"}

// wrappers are where libraries, and sessions that are no single request, have the tools:
// what reads one format's requests would find none.
var wrappers = []string{"config", "setup", "session", "generateContentRequest", "generationConfig"}

// wrappedTools is the key of such an object that has tools, "" where there is none.
func wrappedTools(body []byte) string {
	members, _ := rawjson.Members(body, maxMembers)
	for _, m := range members {
		key, ok := resembled(m.Key, wrappers)
		if !ok || rawjson.KindOf(m.Value) != rawjson.Object {
			continue
		}
		inner, err := rawjson.Members(m.Value, maxMembers)
		if err != nil {
			return key
		}
		for _, in := range inner {
			if _, tools := resembled(in.Key, toolLists); tools && !isEmpty(in.Value) {
				return key
			}
		}
	}
	return ""
}

// isUnknownObject says whether a member holds an object under a key that none of the
// formats has in an entry. Keys of extensions (x-…, _meta) are nobody's.
func isUnknownObject(m rawjson.Member) bool {
	_, deciding := resembled(m.Key, entryKeys)
	_, plain := resembled(m.Key, plainObjects)
	if deciding || plain || m.Key == "" || slices.ContainsFunc([]string{"x-", "x_", "_"}, func(mark string) bool { return strings.HasPrefix(m.Key, mark) }) {
		return false
	}
	return rawjson.KindOf(m.Value) == rawjson.Object
}
