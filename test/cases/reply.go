package cases

import (
	"encoding/json"
	"fmt"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// replyKeys are the keys that lead to the call's text in a reply of each format.
var replyKeys = map[string][]string{
	"OpenAIChat":      {"content"},
	"OpenAIResponses": {"output"},
	"Anthropic":       {"content"},
	"Gemini":          {"functionResponse", "response", "error"},
	"Bedrock":         {"toolResult", "content", "text"},
	"MCP":             {"result", "content", "text"},
}

// checkReply wants feedback for each blocked call and for no other, and in reply one
// entry with that text in the shape of the case's provider.
func (c *Case) checkReply(got *reviewv1alpha1.ToolCallReviewResponse) string {
	var texts []string
	for i, r := range got.Results {
		if (r.Feedback == "") != r.Allowed || len(r.Feedback) > 1024 {
			return fmt.Sprintf("call %d is allowed=%v with the feedback %q", i, r.Allowed, r.Feedback)
		}
		if !r.Allowed {
			texts = append(texts, r.Feedback)
		}
	}
	if c.Kind == "schema" || c.Format == "Native" {
		texts = nil
	}
	if len(got.Reply) != len(texts) {
		return fmt.Sprintf("%d replies, want %d", len(got.Reply), len(texts))
	}
	for i, reply := range got.Reply {
		text, err := replyText(reply, replyKeys[c.Format])
		if err != nil || text != texts[i] {
			return fmt.Sprintf("reply %d is %s (%v), want the text %q", i, reply, err, texts[i])
		}
	}
	return ""
}

// replyText follows the keys; a list on the way has one element.
func replyText(reply json.RawMessage, keys []string) (string, error) {
	for _, key := range keys {
		var list []json.RawMessage
		if json.Unmarshal(reply, &list) == nil && len(list) == 1 {
			reply = list[0]
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(reply, &object); err != nil {
			return "", fmt.Errorf("looking for %s: %w", key, err)
		}
		reply = object[key]
	}
	var text string
	err := json.Unmarshal(reply, &text)
	return text, err
}
