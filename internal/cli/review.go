package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
)

// The outputs.
const (
	outputText = "text"
	outputJSON = "json"
)

type reviewOptions struct {
	files     []string
	as        string
	namespace string
	format    string
	output    string
	call      string
	// validator is what to take for the answers of validators: true, false, or "" for
	// none.
	validator string
	context   contextOptions
	explain   bool
}

const reviewLong = `Judge tool calls, or the tools that a client offers to a model, as a cluster with the
objects of these files would.

PATH is a file, a directory (read recursively: *.yaml, *.yml, *.json), or - for
standard input. It may hold several documents, lists, and what "kubectl get -o yaml"
prints. Objects of other kinds are passed over.

CALL is a file, or - for standard input, which is the default. It is JSON: a
ToolCallReview, or what the model's provider returned; a ToolRequestReview, the request
that is about to be sent to a provider, an MCP server's answer to tools/list, or a list
of names; or a ToolCallExecution, whose call is run by the ToolAdapters and ConfigMaps
of PATH if it is allowed. Nothing is asked over the network.

Namespaces, Roles, ClusterRoles and their bindings in PATH decide what a cluster would
ask RBAC: "call" on ToolSchemas, "use" on tenants, "reviewas" on ServiceAccounts. What
none of them grants is refused. Nobody else is asked from here: an offer that a policy
has validated by a model is blocked with no_validator, unless --validator-answer says
what to take for the answer.

Exit codes: 0 every call or the offer is allowed, 1 blocked, 2 wrong usage or
unreadable input; that includes objects that the API server would refuse. A ToolSchema
that does not compile is accepted, as in a cluster: it is reported, and calls to it
are blocked.

With --explain the verdict is followed by how it came about: what each policy that
applies said in each stage, what became of each rule, and what RBAC was asked. It shows
what the policies keep from callers, and no argument's value.`

func newReviewCommand(d Deps) *cobra.Command {
	var o reviewOptions
	c := &cobra.Command{
		Use:   "review -f PATH... --as system:serviceaccount:NAMESPACE:NAME [CALL]",
		Short: "Judge tool calls and offers of tools against ToolPolicies and ToolSchemas in files",
		Long:  reviewLong,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(c, fmt.Errorf("one CALL is wanted, not %d: repeat -f for every PATH, and put several calls into one ToolCallReview", len(args)))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.call = manifest.Stdin
			if len(args) == 1 {
				o.call = args[0]
			}
			if err := o.check(); err != nil {
				return usageError(c, err)
			}
			return o.run(c.Context(), d)
		},
	}
	// The name of the command is only known once it has a parent.
	c.Example = reviewExamples(d)
	flags := c.Flags()
	flags.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory of ToolPolicies and ToolSchemas, or - (repeatable)")
	flags.StringVar(&o.as, "as", "", "the ServiceAccount that makes the call, as system:serviceaccount:NAMESPACE:NAME")
	flags.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of objects that name none")
	flags.StringVar(&o.format, "format", formatAuto, "what CALL is: "+strings.Join(formats, ", "))
	flags.StringVarP(&o.output, "output", "o", outputText, "what to print: text, or json for the ToolCallReview with its response")
	flags.StringVar(&o.context.tenant, "tenant", "", "the tenant that the application names (context.tenant)")
	flags.StringVar(&o.context.attributes, "context", "", "what rules read as context.attributes: a JSON object, or @FILE with one")
	flags.StringVar(&o.context.onBehalfOf, "on-behalf-of", "", "the ServiceAccount to judge for, as system:serviceaccount:NAMESPACE:NAME; --as then needs the verb reviewas on it")
	flags.BoolVar(&o.explain, "explain", false, "tell how the verdict came about: each policy, each stage, each rule with its outcome")
	flags.StringVar(&o.validator, "validator-answer", "", "what to take for the answer of semantic validators to an offer: true or false; empty: none, which blocks")
	return c
}

func (o *reviewOptions) check() error {
	stdin := 0
	for _, f := range append(slices.Clone(o.files), o.call) {
		if f == manifest.Stdin {
			stdin++
		}
	}
	switch {
	case len(o.files) == 0:
		return errors.New("-f is missing: say where the ToolPolicies and ToolSchemas are")
	case stdin > 1:
		return errors.New("standard input cannot be both the objects and the call: name a file for CALL, or for -f")
	case o.output != outputText && o.output != outputJSON:
		return fmt.Errorf("--output %q is unknown: choose text or json", o.output)
	case !slices.Contains([]string{"", "true", "false"}, o.validator):
		return fmt.Errorf("--validator-answer %q is unknown: choose true or false", o.validator)
	case !slices.Contains(formats, o.format):
		return fmt.Errorf("--format %q is unknown: choose one of %s", o.format, strings.Join(formats, ", "))
	}
	_, err := parseCaller(o.as)
	return err
}

func (o *reviewOptions) run(ctx context.Context, d Deps) error {
	caller, err := parseCaller(o.as)
	if err != nil {
		return err
	}
	set, err := o.load(ctx, d)
	if err != nil {
		return err
	}
	body, err := d.readCall(o.call)
	if err != nil {
		return err
	}
	q, err := parseCall(body, o.format)
	if err != nil {
		return err
	}
	if q, err = o.context.addTo(d, q); err != nil {
		return err
	}
	out := fileset.Compile(set, adapterCompiler(), nil)
	for _, line := range compileLines(set, out) {
		fmt.Fprintln(d.Err, line)
	}
	if q.offer != nil {
		return o.judgeOffer(ctx, d, set, out, caller, q)
	}
	if q.execution {
		return o.judgeExecution(ctx, d, set, out, caller, q)
	}
	return o.judgeCalls(d, set, out, caller, q)
}

func (o *reviewOptions) judgeCalls(d Deps, set *manifest.Set, out *compile.Output, caller review.Caller, q question) error {
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
	decision, trace := review.Calls(snap, caller, q.review, given), (*review.Trace)(nil)
	if o.explain {
		decision, trace = review.ExplainCalls(snap, caller, q.review, given)
		trace = explained(trace, roles)
	}
	err := o.print(d, answered{toolcall.Kind, q.request, &decision.Response, trace}, func(p *printer) error { return p.response(&decision.Response) })
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	if !decision.Response.Allowed {
		return errBlocked
	}
	return nil
}

// load reads the objects. Any that the API server would refuse ends the command: a
// verdict by half of the files would be no verdict of the cluster's.
func (o *reviewOptions) load(ctx context.Context, d Deps) (*manifest.Set, error) {
	sources := make([]manifest.Source, 0, len(o.files))
	for _, f := range o.files {
		sources = append(sources, d.source(f))
	}
	set, problems := manifest.Load(ctx, manifest.Options{FS: d.FS, Stdin: d.In, DefaultNamespace: o.namespace}, sources...)
	for _, n := range set.Notes {
		fmt.Fprintf(d.Err, "note: %s\n", n)
	}
	for _, p := range problems {
		fmt.Fprintln(d.Err, p)
	}
	if len(problems) > 0 {
		return nil, errReported
	}
	return set, nil
}

// derivedUID stands in for the uid that the server would make up: the same question
// to the same policy set has the same answer, uid included.
func derivedUID(revision string, caller review.Caller, q question) string {
	h := sha256.New()
	for _, part := range []string{revision, caller.Username(), string(q.request)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return "cli-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// answered is a review with its answer, and how that came about if somebody asked.
type answered struct {
	kind     string
	request  json.RawMessage
	response any
	trace    *review.Trace
}

// print writes the answer, as text by what knows its kind.
func (o *reviewOptions) print(d Deps, a answered, text func(*printer) error) error {
	if o.output == outputText {
		p := newPrinter(d)
		if err := text(p); err != nil {
			return err
		}
		return p.explanation(a.trace)
	}
	encoded, err := encodeIndented(envelope{
		APIVersion: toolcall.APIVersion, Kind: a.kind, Request: a.request, Response: a.response, Explanation: a.trace,
	})
	if err != nil {
		return err
	}
	_, err = d.Out.Write(encoded)
	return err
}
