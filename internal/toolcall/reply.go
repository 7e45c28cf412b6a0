package toolcall

import (
	"encoding/json"
	"regexp"

	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/shown"
)

// answerKind is how a call's result is written where its format has several ways.
type answerKind uint8

const (
	_ answerKind = iota // the format's ordinary way
	// answerNone: there is no way to answer the call (a notification, an entry that
	// cannot be understood).
	answerNone
	// answerNullID: a JSON-RPC request whose id cannot be used.
	answerNullID
	answerLegacy
	answerCustom
	answerApproval
)

// statelessRevision is the first MCP revision whose results carry resultType.
const statelessRevision = "2026-07-28"

var revisionForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)

// maxReplyName bounds a name that a reply repeats as it is, in bytes: no provider
// takes a longer one.
const maxReplyName = 512

// Reply gives the blocked calls' results in the shape of the message's own
// provider, in the order of the calls, each ready to append to the conversation
// (for MCP, to send). texts has one text a call of r.Calls, "" for an allowed one.
// There are no results for Native calls, nor for what cannot be answered: MCP
// notifications, entries that cannot be understood, and calls without the id (or where
// the format goes by it, the name) by which a result finds its call, or with two.
func Reply(r Review, texts []string) []json.RawMessage {
	write := writers[r.Format]
	if write == nil {
		return nil
	}
	var replies []json.RawMessage
	for i, text := range texts[:min(len(texts), len(r.Calls))] {
		c := &r.Calls[i]
		if text == "" || !c.answerable(r.Format) {
			continue
		}
		var w writer
		write(&w, c, text)
		replies = append(replies, w.text)
	}
	return replies
}

// answerable says whether a result of the call would find it.
func (c *Call) answerable(format Format) bool {
	named := c.Name != "" && !c.unsureName
	switch {
	case c.answer == answerNone:
		return false
	case format == MCP:
		return true // an id that cannot be used is answered as null
	case c.unsureID:
		return false
	case format == Gemini, format == OpenAIChat && (c.ID == "" || c.answer == answerLegacy):
		return named
	}
	return c.ID != ""
}

var writers = map[Format]func(*writer, *Call, string){
	OpenAIChat:      (*writer).chat,
	OpenAIResponses: (*writer).responses,
	Anthropic:       (*writer).anthropic,
	Gemini:          (*writer).gemini,
	Bedrock:         (*writer).bedrock,
	MCP:             (*writer).mcp,
}

// writer writes one JSON text. Keys and literals are this package's own.
type writer struct{ text []byte }

func (w *writer) raw(s string) *writer {
	w.text = append(w.text, s...)
	return w
}

func (w *writer) string(s string) *writer {
	w.text = rawjson.AppendString(w.text, s)
	return w
}

// id writes the key and the call's id as the message had it, or nothing.
func (w *writer) id(key string, c *Call) *writer {
	if c.ID == "" {
		return w
	}
	return w.raw(key).literal(c)
}

func (w *writer) literal(c *Call) *writer {
	if c.NumericID {
		return w.raw(c.ID)
	}
	return w.string(c.ID)
}

func (w *writer) name(c *Call) *writer {
	if len(c.Name) > maxReplyName {
		return w.string(shown.Name(c.Name))
	}
	return w.string(c.Name)
}

func (w *writer) chat(c *Call, text string) {
	switch {
	case c.answer == answerLegacy:
		w.raw(`{"role":"function","name":`).name(c)
	case c.ID == "":
		// Servers without ids (Ollama) tell results apart by name.
		w.raw(`{"role":"tool","name":`).name(c)
	default:
		w.raw(`{"role":"tool"`).id(`,"tool_call_id":`, c)
	}
	w.raw(`,"content":`).string(text).raw(`}`)
}

func (w *writer) responses(c *Call, text string) {
	switch c.answer {
	case answerApproval:
		w.raw(`{"type":"mcp_approval_response"`).id(`,"approval_request_id":`, c).raw(`,"approve":false,"reason":`)
	case answerCustom:
		w.raw(`{"type":"custom_tool_call_output"`).id(`,"call_id":`, c).raw(`,"output":`)
	default:
		w.raw(`{"type":"function_call_output"`).id(`,"call_id":`, c).raw(`,"output":`)
	}
	w.string(text).raw(`}`)
}

func (w *writer) anthropic(c *Call, text string) {
	w.raw(`{"type":"tool_result"`).id(`,"tool_use_id":`, c).raw(`,"is_error":true,"content":`).string(text).raw(`}`)
}

func (w *writer) gemini(c *Call, text string) {
	w.raw(`{"functionResponse":{`)
	if c.ID != "" {
		w.id(`"id":`, c).raw(`,`)
	}
	w.raw(`"name":`).name(c).raw(`,"response":{"error":`).string(text).raw(`}}}`)
}

func (w *writer) bedrock(c *Call, text string) {
	w.raw(`{"toolResult":{`)
	if c.ID != "" {
		w.id(`"toolUseId":`, c).raw(`,`)
	}
	w.raw(`"status":"error","content":[{"text":`).string(text).raw(`}]}}`)
}

// mcp writes a result and never a protocol error, which would not reach the model.
func (w *writer) mcp(c *Call, text string) {
	w.raw(`{"jsonrpc":"2.0","id":`)
	if c.answer == answerNullID {
		w.raw("null")
	} else {
		w.literal(c)
	}
	w.raw(`,"result":{`)
	if revisionForm.MatchString(c.revision) && c.revision >= statelessRevision {
		w.raw(`"resultType":"complete",`)
	}
	w.raw(`"isError":true,"content":[{"type":"text","text":`).string(text).raw(`}]}}`)
}
