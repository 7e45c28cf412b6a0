package toolcall

import (
	"encoding/json"
)

// ReplyResult gives the result of the review's only call in the shape of the message's
// own provider, ready to append to the conversation. result is a JSON object. There is
// none for Native calls, nor for what cannot be answered; nor for the approval of a call
// that the provider would run itself, which must not be run twice.
func ReplyResult(r Review, result []byte) []json.RawMessage {
	write := resultWriters[r.Format]
	if write == nil || len(r.Calls) != 1 {
		return nil
	}
	c := &r.Calls[0]
	if !c.answerable(r.Format) || c.answer == answerNullID || c.answer == answerApproval {
		return nil
	}
	var w writer
	write(&w, c, string(result))
	return []json.RawMessage{w.text}
}

var resultWriters = map[Format]func(*writer, *Call, string){
	// In these two a result is a text, like any other.
	OpenAIChat:      (*writer).chat,
	OpenAIResponses: (*writer).responses,
	Anthropic:       (*writer).anthropicResult,
	Gemini:          (*writer).geminiResult,
	Bedrock:         (*writer).bedrockResult,
	MCP:             (*writer).mcpResult,
}

func (w *writer) anthropicResult(c *Call, result string) {
	w.raw(`{"type":"tool_result"`).id(`,"tool_use_id":`, c).raw(`,"content":`).string(result).raw(`}`)
}

func (w *writer) geminiResult(c *Call, result string) {
	w.raw(`{"functionResponse":{`)
	if c.ID != "" {
		w.id(`"id":`, c).raw(`,`)
	}
	w.raw(`"name":`).name(c).raw(`,"response":{"output":`).raw(result).raw(`}}}`)
}

func (w *writer) bedrockResult(c *Call, result string) {
	w.raw(`{"toolResult":{`)
	if c.ID != "" {
		w.id(`"toolUseId":`, c).raw(`,`)
	}
	w.raw(`"status":"success","content":[{"json":`).raw(result).raw(`}]}}`)
}

// mcpResult has the result as structure, and as text for clients that read only that.
func (w *writer) mcpResult(c *Call, result string) {
	w.raw(`{"jsonrpc":"2.0","id":`).literal(c).raw(`,"result":{`)
	if revisionForm.MatchString(c.revision) && c.revision >= statelessRevision {
		w.raw(`"resultType":"complete",`)
	}
	w.raw(`"content":[{"type":"text","text":`).string(result).raw(`}],"structuredContent":`).raw(result).raw(`}}`)
}
