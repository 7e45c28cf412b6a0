package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/testenv"
)

// ExecutionPath is where executions are sent.
const ExecutionPath = "/apis/review.callgate.dev/v1alpha1/toolcallexecutions"

// AskExecution sends an execution and fails where there is no answer.
func (m *Manager) AskExecution(ctx context.Context, tb TB, token string, body []byte) Answer {
	tb.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+m.Endpoint.String()+ExecutionPath, bytes.NewReader(body))
	if err != nil {
		tb.Fatalf("making a request: %v", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := m.Client.Do(request)
	if err != nil {
		tb.Fatalf("sending an execution: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatalf("reading the answer: %v", err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: text}
}

// Executed reads a 200 and fails on anything else.
func (a Answer) Executed(tb TB) *reviewv1alpha1.ToolCallExecutionResponse {
	tb.Helper()
	if a.Status != http.StatusOK {
		tb.Fatalf("answered %d: %s", a.Status, a.Body)
	}
	var execution reviewv1alpha1.ToolCallExecution
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(&execution); err != nil {
		tb.Fatalf("reading %s: %v", a.Body, err)
	}
	if execution.Kind != reviewv1alpha1.KindToolCallExecution || execution.APIVersion != reviewv1alpha1.GroupVersion.String() || execution.Response == nil {
		tb.Fatalf("the answer is no execution: %s", a.Body)
	}
	return execution.Response
}

// Apply creates the objects of a file of the module.
func Apply(ctx context.Context, tb TB, env *testenv.Env, file string) {
	tb.Helper()
	create(ctx, tb, env, moduleRoot(tb)+"/"+file)
}
