package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

// The sample in which the executions are judged, from the module's root, and who asks.
const (
	ExecutionObjects   = "config/samples/support-assistant/objects.yaml"
	ExecutionFixtures  = "config/samples/support-assistant/fixtures.jsonl"
	ExecutionNamespace = "support-assistant"
	ExecutionAccount   = "assistant"
)

// Execution is one line of ExecutionFixtures: what the model called, what the
// application knows, and the answer.
type Execution struct {
	About    string          `json:"about"`
	Call     json.RawMessage `json:"call"`
	Context  json.RawMessage `json:"context"`
	Expected struct {
		OK     bool            `json:"ok"`
		Result json.RawMessage `json:"result"`
		Code   string          `json:"code"`
	} `json:"expected"`
}

// ReadExecutions reads the fixtures. An unknown field is an error.
func ReadExecutions(table []byte) ([]Execution, error) {
	var all []Execution
	scanner := bufio.NewScanner(bytes.NewReader(table))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		d := json.NewDecoder(bytes.NewReader(scanner.Bytes()))
		d.DisallowUnknownFields()
		var x Execution
		if err := d.Decode(&x); err != nil {
			return nil, fmt.Errorf("reading execution %d: %w", len(all)+1, err)
		}
		all = append(all, x)
	}
	return all, scanner.Err()
}

// Body gives the text of the execution to send.
func (x *Execution) Body(uid string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"request":{"uid":%q,"call":%s,"context":%s}}`,
		reviewv1alpha1.GroupVersion.String(), reviewv1alpha1.KindToolCallExecution, uid, x.Call, x.Context)
}

// Check compares an answer with what is expected and describes the first difference, or
// gives "". A result is compared byte for byte, but for its white space.
func (x *Execution) Check(got *reviewv1alpha1.ToolCallExecutionResponse) string {
	if got == nil {
		return "no response"
	}
	if got.OK != x.Expected.OK {
		return fmt.Sprintf("ok %v, want %v (code %s, errors %q)", got.OK, x.Expected.OK, got.Code, got.Errors)
	}
	if !got.OK {
		if string(got.Code) != x.Expected.Code || got.Result != nil || got.Feedback == "" {
			return fmt.Sprintf("code %s, result %s, feedback %q; want code %s", got.Code, got.Result, got.Feedback, x.Expected.Code)
		}
		return ""
	}
	var want, have bytes.Buffer
	if json.Compact(&want, x.Expected.Result) != nil || json.Compact(&have, got.Result) != nil {
		return fmt.Sprintf("result %s is no JSON", got.Result)
	}
	if want.String() != have.String() || !got.Allowed || got.Code != reviewv1alpha1.CodeOK {
		return fmt.Sprintf("result %s with code %s, want %s", &have, got.Code, &want)
	}
	return ""
}
