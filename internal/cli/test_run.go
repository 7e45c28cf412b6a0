package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/casefile"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rbac"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// besides is a path in the directory of another.
func besides(typed, name string) string {
	return path.Join(path.Dir(filepath.ToSlash(typed)), name)
}

// located is a case, and where it stands.
type located struct {
	casefile.Case
	at     manifest.Position
	caller review.Caller
}

// casesOf reads the cases of the files. Two may have one name: people copy them.
func casesOf(set *manifest.Set) (cases []located, problems []manifest.Diagnostic) {
	for _, d := range set.Cases {
		c, wrong := casefile.Parse(d.Text)
		for _, p := range wrong {
			problems = append(problems, manifest.Diagnostic{Position: d.At(p.Pointer), Path: p.Pointer, Message: p.Message})
		}
		if len(wrong) == 0 {
			cases = append(cases, located{Case: c, at: d.Position})
		}
	}
	return cases, problems
}

// bench runs cases against one policy set.
type bench struct {
	set      *manifest.Set
	out      *compile.Output
	snap     *snapshot.Snapshot
	roles    *rbac.Authorizer
	executor *adapter.Executor
	touched  *casefile.Coverage
}

func newBench(set *manifest.Set) (*bench, error) {
	out := compile.Compile(compile.Input{
		Schemas: set.Schemas, Policies: set.Policies, NamespaceLabels: namespaceLabels(set),
		Adapters: set.Adapters, AdapterCompiler: adapterCompiler(),
	}, nil)
	settings := adapter.DefaultSettings()
	settings.ConfigMaps = fileRecords{set}
	executor, err := adapter.NewExecutor(settings)
	if err != nil {
		return nil, fmt.Errorf("running the cases: %w", err)
	}
	return &bench{set: set, out: out, snap: snapshot.New(out), roles: fileset.Authorizer(set), executor: executor, touched: casefile.NewCoverage()}, nil
}

func (b *bench) close() { b.executor.Close() }

// outcome is what came of one case.
type outcome struct {
	located
	answer casefile.Answer
	// differences are none for a case that passed.
	differences []casefile.Difference
	took        time.Duration
}

func (o *outcome) failed() bool { return len(o.differences) > 0 }

// runAll runs the cases, some at once, and gives their outcomes in the cases' order.
func (b *bench) runAll(ctx context.Context, cases []located, parallel int) []outcome {
	outcomes := make([]outcome, len(cases))
	next := make(chan int)
	var work sync.WaitGroup
	for range min(parallel, len(cases)) {
		work.Go(func() {
			for i := range next {
				outcomes[i] = b.run(ctx, cases[i])
			}
		})
	}
	for i := range cases {
		next <- i
	}
	close(next)
	work.Wait()
	return outcomes
}

func (b *bench) run(ctx context.Context, c located) outcome {
	began := time.Now()
	answer := b.ask(ctx, &c.Case, c.caller)
	return outcome{located: c, answer: answer, differences: c.Compare(answer), took: time.Since(began)}
}

// callers finds who asks in each case, and says where nobody can be found. A case that
// nobody asks would be blocked, whatever the policies say.
func (b *bench) callers(cases []located) (lines []string) {
	for i := range cases {
		caller, err := b.caller(&cases[i].Case)
		if err != nil {
			lines = append(lines, manifest.Diagnostic{Position: cases[i].at, Message: strings.TrimPrefix(err.Error(), "--")}.String())
		}
		cases[i].caller = caller
	}
	return lines
}

// ask gives the answer that the endpoint would give.
func (b *bench) ask(ctx context.Context, c *casefile.Case, caller review.Caller) casefile.Answer {
	var response any
	var err error
	switch c.Kind {
	case casefile.Offer:
		response, err = b.offer(ctx, c, caller)
	case casefile.Execution:
		response, err = b.execution(ctx, c, caller)
	default:
		response, err = b.calls(c, caller)
	}
	if err != nil {
		return casefile.Answer{Refused: err.Error()}
	}
	text, err := encode(response)
	if err != nil {
		return casefile.Answer{Refused: err.Error()}
	}
	return casefile.Answer{Response: json.RawMessage(text)}
}

// caseUID stands in for the uid that the server would make up. Executions with one uid
// are one execution, so that each case needs its own.
func caseUID(c *casefile.Case) string {
	return derivedUID("", review.Caller{Name: c.Name}, question{request: c.Request})
}

func (b *bench) calls(c *casefile.Case, caller review.Caller) (any, error) {
	in, err := toolcall.DecodeReview(c.Envelope())
	if err != nil {
		return nil, err
	}
	in.UID = cmp.Or(in.UID, caseUID(c))
	d, refused := judgeCalls(b.snap, b.roles, caller, in)
	if refused != nil {
		return nil, refused
	}
	for i := range in.Calls {
		code := d.Response.Results[i].Code
		if d.Whole != nil {
			code = d.Whole[i].Code
		}
		b.touch(d.For, in.Calls[i].EffectiveName(), code)
	}
	return &d.Response, nil
}

func (b *bench) offer(ctx context.Context, c *casefile.Case, caller review.Caller) (any, error) {
	in, err := toolcall.DecodeRequestReview(c.Envelope())
	if err != nil && c.Guessed {
		// A gateway of chat completions does not say which format it has.
		again := c.Reformatted(toolcall.OpenAIChat)
		if chat, chatErr := toolcall.DecodeRequestReview(again.Envelope()); chatErr == nil {
			in, err = chat, nil
		}
	}
	if err != nil {
		return nil, err
	}
	in.UID = cmp.Or(in.UID, caseUID(c))
	given, refused := delegated(b.snap, b.roles, caller, *in.Session())
	if refused != nil {
		return nil, refused
	}
	d := b.judgeOffer(ctx, c, caller, &in, given)
	for _, name := range d.Response.Details.RequestedTools {
		b.touched.Offer(name, string(d.Response.ReasonCode))
	}
	return &d.Response, nil
}

func (b *bench) judgeOffer(ctx context.Context, c *casefile.Case, caller review.Caller, in *toolcall.Offer, given review.Answers) review.OfferDecision {
	d := review.Offers(b.snap, caller, in, nil, given)
	var port review.Validator = review.NoValidator{}
	if c.Validator != nil {
		port = caseValidator(*c.Validator)
	}
	return validated(ctx, d, port)
}

// caseValidator answers as its case says.
type caseValidator casefile.Validator

// Validate implements review.Validator.
func (v caseValidator) Validate(context.Context, review.Question) review.Answer {
	return review.Answer{Valid: v.Valid && v.Cause == "", Reason: v.Reason, Cause: v.Cause}
}

func (b *bench) execution(ctx context.Context, c *casefile.Case, caller review.Caller) (any, error) {
	in, err := toolcall.DecodeExecution(c.Envelope())
	if err != nil {
		return nil, err
	}
	in.UID = cmp.Or(in.UID, caseUID(c))
	given, refused := delegated(b.snap, b.roles, caller, in)
	if refused != nil {
		return nil, refused
	}
	x := review.Executions(b.snap, caller, in, given)
	var outcome review.Outcome
	if x.Run != nil {
		outcome = adapter.Port{Executor: b.executor}.Execute(ctx, x.Run)
	}
	response := x.Executed(in, outcome)
	b.touch(x.For, in.Calls[0].EffectiveName(), response.Code)
	return &response, nil
}

// caller is who asks: the case says it, or anyone of the only namespace with a policy.
func (b *bench) caller(c *casefile.Case) (review.Caller, error) {
	if c.As != "" {
		return parseCaller(c.As)
	}
	namespaces := map[string][]*compile.Policy{}
	for name, ns := range b.snap.Namespaces {
		if len(ns.Policies) > 0 {
			namespaces[name] = ns.Policies
		}
	}
	if len(namespaces) != 1 {
		return review.Caller{}, fmt.Errorf("the case does not say who asks, and %d namespaces have a ToolPolicy: add as: %sNAMESPACE:NAME", len(namespaces), usernamePrefix)
	}
	for name, policies := range namespaces {
		return parseCaller(usernamePrefix + name + ":" + b.anyOf(name, policies))
	}
	return review.Caller{}, nil
}

// anyOf is the account that most of the policies select, of those that they name.
func (b *bench) anyOf(namespace string, policies []*compile.Policy) string {
	best, most := "default", -1
	candidates := []string{"default"}
	for _, p := range b.set.Policies {
		if p.Namespace != namespace {
			continue
		}
		for _, name := range p.Spec.Subjects.ServiceAccountNames {
			if name != "*" {
				candidates = append(candidates, string(name))
			}
		}
	}
	slices.Sort(candidates)
	for _, name := range candidates {
		n := 0
		for _, p := range policies {
			if p.Selects(name) {
				n++
			}
		}
		if n > most {
			best, most = name, n
		}
	}
	return best
}
