package toolcall

import (
	"strings"
	"testing"
)

// BenchmarkCostly reads bodies of 1 MiB that are made to cost: many members, none of
// which decides anything.
func BenchmarkCostly(b *testing.B) {
	members := strings.Repeat(`"":0,`, 200) + `"":0`
	entries := strings.Repeat(`{`+members+`},`, 120) + `{` + members + `}`
	for format, body := range map[Format]string{
		OpenAIChat:      `{"tool_calls":[` + entries + `]}`,
		OpenAIResponses: `{"output":[` + strings.Repeat(`{"type":"reasoning",`+members+`},`, 1000) + `{"type":"reasoning"}]}`,
		Anthropic:       `{"role":"assistant","content":[` + strings.Repeat(`{"type":"text",`+members+`},`, 1000) + `{"type":"text"}]}`,
		Gemini:          `{"parts":[` + strings.Repeat(`{"text":"x",`+members+`},`, 1000) + `{}]}`,
		Bedrock:         `{"role":"assistant","content":[` + strings.Repeat(`{"text":"x",`+members+`},`, 1000) + `{"text":"x"}]}`,
		MCP:             `[` + strings.Repeat(`{"jsonrpc":"2.0","method":"x",`+members+`},`, 1000) + `{"jsonrpc":"2.0","method":"x"}]`,
	} {
		for _, as := range []Format{format, Auto} {
			b.Run(string(format)+"/"+string(as), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					_, _ = DecodeMessage(as, []byte(body))
				}
			})
		}
	}
}
