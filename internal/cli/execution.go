package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rawjson"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/shown"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// executes tells an execution by what it says it is.
func executes(body []byte) bool {
	if !isReview(body) {
		return false
	}
	kind, _ := rawjson.Text(memberOf(trimSpace(body), "kind"))
	return kind == toolcall.KindExecution
}

func parseExecution(body []byte) (question, error) {
	in, err := toolcall.DecodeExecution(body)
	if err != nil {
		return question{}, fmt.Errorf("reading the ToolCallExecution: %w", err)
	}
	return question{review: in, execution: true, request: memberOf(trimSpace(body), "request")}, nil
}

// unreachable stands for the network, to which nothing is sent from files.
type unreachable struct{}

var errUnreachable = errors.New("nothing is asked over the network from files")

// LookupNetIP implements outbound.Resolver.
func (unreachable) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, errUnreachable
}

// adapterCompiler compiles the adapters of files. Where an operator lets backends be is
// not known here, so that those of other hosts than a Service's are reported.
func adapterCompiler() compile.AdapterCompiler {
	return &adapter.Compiler{Resolver: unreachable{}, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errUnreachable }}
}

// fileRecords are the ConfigMaps of the files.
type fileRecords struct{ set *manifest.Set }

// ConfigMap implements adapter.ConfigMaps.
func (f fileRecords) ConfigMap(_ context.Context, namespace, name string) (adapter.ConfigMap, bool, error) {
	cm, found := f.find(namespace, name)
	return cm, found, nil
}

func (f fileRecords) find(namespace, name string) (adapter.ConfigMap, bool) {
	for _, cm := range f.set.ConfigMaps {
		if cm.Namespace == namespace && cm.Name == name {
			return adapter.ConfigMap{Labels: cm.Labels, Data: cm.Data}, true
		}
	}
	return adapter.ConfigMap{}, false
}

// judgeExecution judges a call, runs it by the records of the files if it is allowed, and
// prints the answer.
func (o *reviewOptions) judgeExecution(ctx context.Context, d Deps, set *manifest.Set, out *compile.Output, caller review.Caller, q question) error {
	if q.review.UID == "" {
		q.review.UID = derivedUID(out.Revision, caller, q)
	}
	snap := snapshot.New(out)
	roles := fileset.Authorizer(set)
	given, refused := delegated(snap, roles, caller, q.review)
	if refused != nil {
		fmt.Fprintln(d.Err, refused)
		return errBlocked
	}
	x, trace := review.Executions(snap, caller, q.review, given), (*review.Trace)(nil)
	if o.explain {
		x, trace = review.ExplainExecutions(snap, caller, q.review, given)
		trace = explained(trace, roles)
	}
	outcome, err := runFromFiles(ctx, set, x.Run)
	if err != nil {
		return err
	}
	if trace != nil && x.Run != nil {
		trace.Executed(outcome)
	}
	response := x.Executed(q.review, outcome)
	cause, detail := outcome.Cause, outcome.Detail
	if x.Run == nil {
		cause, detail = x.Refusal.Cause, x.Refusal.Detail
	}
	// A client is not told; whoever writes the adapter is.
	if cause != "" {
		fmt.Fprintf(d.Err, "no result: %s\n", strings.Trim(cause+": "+shown.Escape(detail), ": "))
	}
	err = o.print(d, answered{toolcall.KindExecution, q.request, &response, trace}, func(p *printer) error { return p.execution(&response) })
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	if !response.OK {
		return errBlocked
	}
	return nil
}

// runFromFiles runs a call that may run by the records of the files.
func runFromFiles(ctx context.Context, set *manifest.Set, run *review.Run) (review.Outcome, error) {
	if run == nil {
		return review.Outcome{}, nil
	}
	settings := adapter.DefaultSettings()
	settings.ConfigMaps = fileset.RecordsOf(set)
	executor, err := adapter.NewExecutor(settings)
	if err != nil {
		return review.Outcome{}, fmt.Errorf("running the call: %w", err)
	}
	defer executor.Close()
	return adapter.Port{Executor: executor}.Execute(ctx, run), nil
}

func (p *printer) execution(r *reviewv1alpha1.ToolCallExecutionResponse) error {
	var b bytes.Buffer
	p.result(&b, &r.ToolCallResult)
	if r.OK {
		var text bytes.Buffer
		if err := json.Compact(&text, r.Result); err != nil {
			return err
		}
		fmt.Fprintf(&b, "    result %s\n", shown.Escape(text.String()))
	}
	verdict := p.green + "executed" + p.reset
	switch {
	case !r.Allowed:
		verdict = p.red + "blocked" + p.reset
	case !r.OK:
		verdict = p.yellow + "allowed, and not executed" + p.reset
	}
	fmt.Fprintf(&b, "%s, by revision %s\n", verdict, shown.Escape(r.Revision))
	_, err := p.out.Write(b.Bytes())
	return err
}
