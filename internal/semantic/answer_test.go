package semantic

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// completion is a chat completion whose message has the given content.
func completion(content string) string {
	quoted, _ := json.Marshal(content)
	return `{"id":"c-1","choices":[{"index":0,"message":{"role":"assistant","content":` + string(quoted) + `}}]}`
}

func TestReadAnswer(t *testing.T) {
	const yes, no = `{"valid":true,"reason":"fine"}`, `{"valid":false,"reason":"odd"}`
	valid, invalid := Answer{Valid: true, Reason: "fine"}, Answer{Reason: "odd"}
	for name, tc := range map[string]struct {
		body string
		want Answer
	}{
		"top, true":                        {yes, valid},
		"top, false":                       {no, invalid},
		"top, without a reason":            {`{"valid":true}`, Answer{Valid: true}},
		"top, other keys":                  {`{"model":"judge","valid":true,"reason":"fine","usage":{}}`, valid},
		"message, true":                    {completion(yes), valid},
		"message, false":                   {completion(no), invalid},
		"message, white space":             {completion("\n " + yes + "\n"), valid},
		"message, an object itself":        {`{"choices":[{"message":{"content":` + yes + `}}]}`, valid},
		"message, null reason":             {completion(`{"valid":true,"reason":null}`), Answer{Valid: true}},
		"reason of another kind":           {`{"valid":true,"reason":{"valid":false}}`, Answer{Valid: true}},
		"only the first choice counts":     {`{"choices":[{"message":{"content":"{\"valid\":false}"}},{"message":{"content":"{\"valid\":true}"}}]}`, Answer{}},
		"both, agreeing":                   {`{"valid":true,"reason":"top","choices":[{"message":{"content":"{\"valid\":true,\"reason\":\"message\"}"}}]}`, Answer{Valid: true, Reason: "top"}},
		"top beside prose":                 {`{"valid":true,"choices":[{"message":{"content":"All is well."}}]}`, Answer{Cause: CauseAmbiguous}},
		"top beside prose with a no":       {`{"valid":true,"choices":[{"message":{"content":"no. {\"valid\":false}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"top beside parts":                 {`{"valid":true,"choices":[{"message":{"content":[{"type":"text","text":"{\"valid\":false}"}]}}]}`, Answer{Cause: CauseAmbiguous}},
		"top beside a list":                {`{"valid":true,"choices":[{"message":{"content":"[{\"valid\":false}]"}}]}`, Answer{Cause: CauseAmbiguous}},
		"top beside a message without":     {`{"valid":true,"choices":[{"message":{"content":"{\"result\":{\"valid\":false}}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"top beside odd choices":           {`{"valid":true,"choices":{"0":{"message":{"content":"{\"valid\":false}"}}}}`, Answer{Cause: CauseAmbiguous}},
		"top beside an odd choice":         {`{"valid":true,"choices":["{\"valid\":false}"]}`, Answer{Cause: CauseAmbiguous}},
		"top beside an odd message":        {`{"valid":true,"choices":[{"message":"{\"valid\":false}"}]}`, Answer{Cause: CauseAmbiguous}},
		"top beside a refusal":             {`{"valid":true,"choices":[{"message":{"content":null,"refusal":"I cannot judge this."}}]}`, Answer{Cause: CauseAmbiguous}},
		"top beside an empty message":      {`{"valid":true,"choices":[{"message":{"content":" "}}]}`, Answer{Valid: true}},
		"top false beside prose":           {`{"valid":false,"reason":"odd","choices":[{"message":{"content":"All is well."}}]}`, invalid},
		"message, finished":                {`{"choices":[{"finish_reason":"stop","message":{"content":"{\"valid\":true}","refusal":null}}]}`, Answer{Valid: true}},
		"message, no word of its end":      {`{"choices":[{"finish_reason":null,"message":{"content":"{\"valid\":true}"}}]}`, Answer{Valid: true}},
		"message, cut short":               {`{"choices":[{"finish_reason":"length","message":{"content":"{\"valid\":true}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"message, filtered":                {`{"choices":[{"finish_reason":"content_filter","message":{"content":"{\"valid\":true}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"message, an end of another kind":  {`{"choices":[{"finish_reason":["stop"],"message":{"content":"{\"valid\":true}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"message, two ends":                {`{"choices":[{"finish_reason":"stop","finish_reason":"length","message":{"content":"{\"valid\":true}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"message, a refusal":               {`{"choices":[{"finish_reason":"stop","message":{"content":"{\"valid\":true}","refusal":"I cannot judge this."}}]}`, Answer{Cause: CauseAmbiguous}},
		"message, false and cut short":     {`{"choices":[{"finish_reason":"length","message":{"content":"{\"valid\":false,\"reason\":\"odd\"}"}}]}`, invalid},
		"top beside a null message":        {`{"valid":true,"choices":[{"message":{"content":null}}]}`, Answer{Valid: true}},
		"escaped key":                      {`{"\u0076alid":true}`, Answer{Valid: true}},
		"disagreeing, top true":            {`{"valid":true,"choices":[{"message":{"content":"{\"valid\":false}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"disagreeing, top false":           {`{"valid":false,"choices":[{"message":{"content":"{\"valid\":true}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"top beside broken JSON":           {`{"valid":true,"choices":[{"message":{"content":"{\"valid\":false} {\"valid\":true}"}}]}`, Answer{Cause: CauseBadJSON}},
		"top beside a message with string": {`{"valid":true,"choices":[{"message":{"content":"{\"valid\":\"false\"}"}}]}`, Answer{Cause: CauseNoValid}},
		"duplicate":                        {`{"valid":false,"valid":true}`, Answer{Cause: CauseAmbiguous}},
		"duplicate, escaped":               {`{"valid":false,"v\u0061lid":true}`, Answer{Cause: CauseAmbiguous}},
		"duplicate, equal":                 {`{"valid":true,"valid":true}`, Answer{Cause: CauseAmbiguous}},
		"duplicate reason":                 {`{"valid":true,"reason":"a","reason":"b"}`, Answer{Cause: CauseAmbiguous}},
		"another case":                     {`{"Valid":true}`, Answer{Cause: CauseAmbiguous}},
		"another case beside it":           {`{"valid":true,"VALID":false}`, Answer{Cause: CauseAmbiguous}},
		"another case in the message":      {completion(`{"Valid":true}`), Answer{Cause: CauseAmbiguous}},
		"duplicate in the message":         {completion(`{"valid":false,"valid":true}`), Answer{Cause: CauseAmbiguous}},
		"duplicate choices":                {`{"choices":[],"choices":[{"message":{"content":"{\"valid\":true}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"duplicate message":                {`{"choices":[{"message":{},"Message":{"content":"{\"valid\":true}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"duplicate content":                {`{"choices":[{"message":{"content":"{\"valid\":false}","content":"{\"valid\":true}"}}]}`, Answer{Cause: CauseAmbiguous}},
		"a string":                         {`{"valid":"true"}`, Answer{Cause: CauseNoValid}},
		"a number":                         {`{"valid":1}`, Answer{Cause: CauseNoValid}},
		"null, beside a true message":      {`{"valid":null,"choices":[{"message":{"content":"{\"valid\":true}"}}]}`, Answer{Cause: CauseNoValid}},
		"no valid":                         {`{"reason":"fine"}`, Answer{Cause: CauseNoValid}},
		"no valid in the message":          {completion(`{"reason":"fine"}`), Answer{Cause: CauseNoValid}},
		"valid below":                      {completion(`{"result":{"valid":true}}`), Answer{Cause: CauseNoValid}},
		"no choices":                       {`{"choices":[]}`, Answer{Cause: CauseNoValid}},
		"choices of another kind":          {`{"choices":{"0":{"message":{"content":"{\"valid\":true}"}}}}`, Answer{Cause: CauseNoValid}},
		"content in parts":                 {`{"choices":[{"message":{"content":[{"type":"text","text":"{\"valid\":true}"}]}}]}`, Answer{Cause: CauseNoValid}},
		"a tool call":                      {`{"choices":[{"message":{"content":null,"tool_calls":[]}}]}`, Answer{Cause: CauseNoValid}},
		"prose":                            {completion("It is valid."), Answer{Cause: CauseBadJSON}},
		"a fence":                          {completion("```json\n" + yes + "\n```"), Answer{Cause: CauseBadJSON}},
		"a cut message":                    {completion(`{"valid":true,"reas`), Answer{Cause: CauseBadJSON}},
		"true alone":                       {`true`, Answer{Cause: CauseBadJSON}},
		"true alone in the message":        {completion(`true`), Answer{Cause: CauseBadJSON}},
		"a list":                           {`[{"valid":true}]`, Answer{Cause: CauseBadJSON}},
		"nothing":                          {``, Answer{Cause: CauseBadJSON}},
		"trailing":                         {yes + yes, Answer{Cause: CauseBadJSON}},
		"trailing in the message":          {completion(yes + yes), Answer{Cause: CauseBadJSON}},
		"a byte order mark":                {"\ufeff" + yes, Answer{Cause: CauseBadJSON}},
		"no UTF-8":                         {"{\"valid\":true,\"reason\":\"\xff\"}", Answer{Cause: CauseBadJSON}},
		"a lone surrogate":                 {`{"valid":true,"reason":"\ud800"}`, Answer{Cause: CauseBadJSON}},
		"HTML":                             {`<html>`, Answer{Cause: CauseBadJSON}},
		"a stream":                         {"data: " + yes, Answer{Cause: CauseBadJSON}},
		"too deep":                         {`{"valid":true,"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, Answer{Cause: CauseBadJSON}},
	} {
		t.Run(name, func(t *testing.T) {
			got := readAnswer([]byte(tc.body), "")
			if (got.Detail != "") != (got.Cause != "") {
				t.Errorf("cause %q with detail %q", got.Cause, got.Detail)
			}
			got.Detail = ""
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestReasonIsBoundedAndClean(t *testing.T) {
	for name, tc := range map[string]struct{ reason, want string }{
		"plain":     {"two tools look alike", "two tools look alike"},
		"lines":     {"a\r\nforged: line\x1b[31m", `a\u000d\u000aforged: line\u001b[31m`},
		"direction": {"a\u202eb", `a\u202eb`},
		"long":      {strings.Repeat("é", 600), strings.Repeat("é", 512) + "…"},
		"echo":      {"you sent Bearer sk-secret-1, sk-secret-1", "you sent Bearer [redacted], [redacted]"},
	} {
		body, _ := json.Marshal(map[string]any{"valid": false, "reason": tc.reason})
		if got := readAnswer(body, "sk-secret-1"); got.Reason != tc.want || got.Cause != "" {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// FuzzReadAnswer holds the reader to encoding/json: whatever it takes for valid,
// encoding/json must read so too, in one of the two places, and contradicted in neither.
func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte(`{"valid":true,"reason":"fine"}`))
	f.Add([]byte(`{"valid":false,"valid":true}`))
	f.Add([]byte(`{"Valid":true}`))
	f.Add([]byte(completion(`{"valid":true}`)))
	f.Add([]byte(completion(`{"valid":true}{"valid":false}`)))
	f.Add([]byte(`{"valid":true,"choices":[{"message":{"content":"{\"valid\":false}"}}]}`))
	f.Add([]byte(`{"choices":[{"message":{"content":{"valid":true}}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got := readAnswer(body, "sk-secret-1")
		if got.Cause != "" && (got.Valid || got.Reason != "") {
			t.Fatalf("a failure with an opinion: %+v", got)
		}
		if utf8.RuneCountInString(got.Reason) > 12*(maxReason+1) || strings.ContainsAny(got.Reason, "\n\r\x00") {
			t.Fatalf("reason %q", got.Reason)
		}
		if got.Cause != "" {
			return
		}
		var opinions []any
		var top map[string]any
		if err := json.Unmarshal(body, &top); err != nil {
			t.Fatalf("an answer out of %q: %v", body, err)
		}
		if v, ok := top["valid"]; ok {
			opinions = append(opinions, v)
		}
		if v, ok := oracleMessage(top); ok {
			opinions = append(opinions, v)
		}
		if len(opinions) == 0 {
			t.Fatalf("an answer out of nothing: %q", body)
		}
		for _, o := range opinions {
			if o != got.Valid {
				t.Fatalf("%q is read as %t", body, got.Valid)
			}
		}
	})
}

func oracleMessage(top map[string]any) (any, bool) {
	choices, _ := top["choices"].([]any)
	if len(choices) == 0 {
		return nil, false
	}
	choice, _ := choices[0].(map[string]any)
	message, _ := choice["message"].(map[string]any)
	content, _ := message["content"].(map[string]any)
	if text, ok := message["content"].(string); ok {
		_ = json.Unmarshal([]byte(text), &content)
	}
	v, ok := content["valid"]
	return v, ok
}
