package toolcall

import (
	"strings"

	"github.com/callgate/callgate/internal/rawjson"
)

// formatSet is a set of message formats.
type formatSet uint8

const (
	isChat formatSet = 1 << iota
	isResponses
	isAnthropic
	isGeminis
	isBedrock
	isMCP
	anyFormat = isChat | isResponses | isAnthropic | isGeminis | isBedrock | isMCP
)

func (s formatSet) formats() []Format {
	var out []Format
	for i, f := range messageFormats {
		if s&(1<<i) != 0 {
			out = append(out, f)
		}
	}
	return out
}

// requestSigns are the formats that have a field in their requests. Fields of no
// format are not in it: they say nothing.
var requestSigns = map[string]formatSet{
	"messages": isChat | isAnthropic | isBedrock, "functions": isChat, "function_call": isChat, "parallel_tool_calls": isChat | isResponses,
	"response_format": isChat, "web_search_options": isChat, "stream_options": isChat | isResponses, "max_completion_tokens": isChat,
	"input": isResponses, "instructions": isResponses, "previous_response_id": isResponses, "reasoning": isResponses, "store": isChat | isResponses,
	"system": isAnthropic | isBedrock, "mcp_servers": isAnthropic, "anthropic_version": isAnthropic, "max_tokens": isChat | isAnthropic,
	"contents": isGeminis, "systemInstruction": isGeminis, "system_instruction": isGeminis, "generationConfig": isGeminis, "generation_config": isGeminis,
	"toolConfig": isGeminis | isBedrock, "tool_config": isGeminis, "inferenceConfig": isBedrock, "modelId": isBedrock, "additionalModelRequestFields": isBedrock,
	"jsonrpc": isMCP, "result": isMCP, "nextCursor": isMCP, "tools": anyFormat &^ isBedrock,
}

// entrySigns are the same of an entry's fields.
var entrySigns = map[string]formatSet{
	"function": isChat, "input_schema": isAnthropic, "inputSchema": isMCP, "outputSchema": isMCP, "annotations": isMCP, "title": isMCP,
	"functionDeclarations": isGeminis, "function_declarations": isGeminis, "mcp_server_name": isAnthropic, "server_label": isResponses,
	"parameters": isResponses, "tools": isResponses, "cache_control": isAnthropic | isChat, "type": isChat | isResponses | isAnthropic,
	"name": anyFormat &^ (isGeminis | isBedrock), "strict": isResponses | isAnthropic, "custom": isChat, "toolSpec": isBedrock,
}

// recogniseOffer finds the one format that a request fits.
func recogniseOffer(body []byte) (Format, error) {
	fits := anyFormat
	members, err := rawjson.Members(body, maxMembers)
	if err != nil {
		return "", badRequest("the body must be an object of at most %d fields", maxMembers)
	}
	known := false
	for _, m := range members {
		signs, ok := requestSigns[m.Key]
		if !ok {
			continue
		}
		known, fits = true, fits&signs
		switch m.Key {
		case "tools":
			fits &= entriesFit(m.Value)
		case "toolConfig":
			fits &= toolConfigFits(m.Value)
		}
	}
	if !known {
		fits = 0
	}
	switch formats := fits.formats(); len(formats) {
	case 0:
		return "", badRequest("the body is a request of none of the formats %s: name the one that you send it as", formatList(messageFormats...))
	case 1:
		return formats[0], nil
	default:
		return "", badRequest("the body may be a request of more than one format (%s): name the one that you send it as", formatList(formats...))
	}
}

func entriesFit(raw []byte) formatSet {
	fits := anyFormat
	entries, err := rawjson.Elements(raw, MaxOffered)
	if err != nil {
		return fits
	}
	for _, entry := range entries {
		members, err := rawjson.Members(entry, maxMembers)
		if err != nil {
			continue
		}
		ofGemini := isGeminis
		for _, m := range members {
			if signs, ok := entrySigns[m.Key]; ok {
				fits &= signs
				ofGemini &= signs
			}
		}
		if hasKey(entry, []string{"type", "name"}) {
			fits &= typeFits(entry)
		} else if ofGemini != 0 {
			// Only Gemini has tools that go by their key.
			fits &= isGeminis
		}
	}
	return fits
}

// typeFits tells by the type of an entry, which few formats share.
func typeFits(entry []byte) formatSet {
	kind, _ := plainText(memberOf(entry, "type"))
	named := hasKey(entry, []string{"name"})
	switch {
	case kind == "", hasKey(entry, []string{"function", "custom"}):
		return anyFormat // nobody's, or what these keys have told already
	case kind == "function" && !named:
		return isChat
	case kind == "function":
		return isResponses
	case kind == "custom" && !named:
		return isChat
	case kind == "custom":
		return isChat | isResponses | isAnthropic
	case kind == "namespace", kind == "mcp":
		return isResponses
	case kind == "mcp_toolset", named, strings.HasSuffix(undated(kind), "_toolset"):
		return isAnthropic
	default:
		return isChat | isResponses
	}
}

func toolConfigFits(raw []byte) formatSet {
	switch {
	case hasKey(raw, []string{"tools", "toolChoice"}):
		return isBedrock
	case hasKey(raw, []string{"functionCallingConfig", "function_calling_config", "retrievalConfig"}):
		return isGeminis
	default:
		return anyFormat
	}
}
