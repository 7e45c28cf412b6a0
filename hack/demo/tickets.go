package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/test/cases"
	"github.com/callgate/callgate/test/harness"
)

// seedTickets is how many of the fixtures are shown; the rest are asked without words.
const seedTickets = 8

// tickets has calls run, for two tenants whose tickets have the same number.
func tickets(s *stage) {
	s.title("Calls that Callgate runs itself: one assistant, two tenants, the same ticket number")
	s.kubectl("apply", "-f", "config/samples/support-assistant/")
	s.kubectl("create", "serviceaccount", "assistant", "-n", cases.ExecutionNamespace)
	s.kubectl("wait", "--for=condition=Ready", "--timeout=30s", "tadp,tsch,tpol", "--all", "-n", cases.ExecutionNamespace)
	s.kubectl("get", "tadp", "-n", cases.ExecutionNamespace)
	token, err := s.quiet("create", "token", "assistant", "-n", cases.ExecutionNamespace, "--audience", "callgate.dev")
	if err != nil {
		s.fail("asking for a token: %v: %s", err, token)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "tickets-token"), []byte(token), 0o600); err != nil {
		s.fail("writing a token: %v", err)
	}
	s.say("Each line: what the model called, what the application knows, what comes back.")
	table := must(os.ReadFile(filepath.Join(s.root, cases.ExecutionFixtures)))
	all := must(cases.ReadExecutions(table))
	for i := range all {
		r := s.executed(&all[i], "ticket-"+strconv.Itoa(i))
		if i < seedTickets {
			s.say("%s  %s", all[i].Call, all[i].Context)
			s.say("  -> ok: %v, code: %s %s", r.OK, r.Code, r.Result)
		}
	}
	s.say("…and %d more, of ids and names written otherwise and of tenants reached for: each as its line in", len(all)-seedTickets)
	s.say("%s has it.", cases.ExecutionFixtures)
}

// executed sends one execution, and fails where the answer is another than its line has.
// A role that has just been bound is seen within a few seconds.
func (s *stage) executed(x *cases.Execution, uid string) (r reviewv1alpha1.ToolCallExecutionResponse) {
	file := filepath.Join(s.dir, "execution.json")
	if err := os.WriteFile(file, x.Body(uid), 0o600); err != nil {
		s.fail("writing an execution: %v", err)
	}

	s.eventually(x.About, 20*time.Second, func() bool {
		a := s.post(harness.ExecutionPath, file, "tickets-token")
		var execution reviewv1alpha1.ToolCallExecution
		if err := json.Unmarshal(a.body, &execution); a.status != http.StatusOK || err != nil || execution.Response == nil {
			return false
		}
		r = *execution.Response
		return x.Check(&r) == ""
	})
	return r
}
