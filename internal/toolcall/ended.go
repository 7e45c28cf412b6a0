package toolcall

import (
	"slices"

	"github.com/callgate/callgate/internal/rawjson"
)

// cutReasons are the words of all providers for a message that ended before the
// model was done: at a length, or in the middle by a filter. A word that only one
// provider has harms nobody else.
var cutReasons = []string{
	"length", "model_length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "incomplete",
	"content_filter", "content_filtered", "guardrail_intervened", "refusal",
	"safety", "recitation", "blocklist", "prohibited_content", "spii",
	"malformed_function_call", "malformed_response", "malformed_model_output", "malformed_tool_use",
}

// unfinished are the states of a response, or of an item of it, that is not whole.
var unfinished = []string{"incomplete", "in_progress", "queued", "cancelled", "failed"}

// saysOneOf says whether a member of one of the keys holds one of the words, in
// any spelling.
func (o object) saysOneOf(words []string, keys ...string) bool {
	return slices.ContainsFunc(o.found, func(m member) bool {
		if !slices.Contains(keys, m.key) || rawjson.KindOf(m.value) != rawjson.String {
			return false
		}
		said, _ := rawjson.Text(m.value)
		return slices.ContainsFunc(words, func(word string) bool { return resembles(said, word) })
	})
}
