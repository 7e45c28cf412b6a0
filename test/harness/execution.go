package harness

import (
	"context"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/testenv"
)

// ExecutionPath is where executions are sent.
const ExecutionPath = "/apis/review.callgate.dev/v1alpha1/toolcallexecutions"

// AskExecution sends an execution and fails where there is no answer.
func (m *Manager) AskExecution(ctx context.Context, tb TB, token string, body []byte) Answer {
	tb.Helper()
	return m.ask(ctx, tb, ExecutionPath, token, body)
}

// Executed reads a 200 and fails on anything else.
func (a Answer) Executed(tb TB) *reviewv1alpha1.ToolCallExecutionResponse {
	tb.Helper()
	var execution reviewv1alpha1.ToolCallExecution
	a.read(tb, &execution)
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
