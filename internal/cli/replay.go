package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rbac"
	"github.com/callgate/callgate/internal/replay"
)

const outputMarkdown = "markdown"

// failOnChange stands for every change.
const failOnChange = "change"

var (
	replayOutputs = []string{outputText, outputJSON, outputJUnit, outputMarkdown}
	replayFailOn  = []string{failOnChange, string(replay.NewlyBlocked), string(replay.NewlyAllowed)}
)

type replayOptions struct {
	logs      []string
	files     []string
	namespace string
	output    string
	failOn    []string
	validator string
}

func newReplayCommand(d Deps) *cobra.Command {
	var o replayOptions
	c := &cobra.Command{
		Use:   "replay --log FILE... -f PATH...",
		Short: "Judge recorded reviews again, by ToolPolicies and ToolSchemas in files",
		Long: `Judge the reviews of an audit log again, by the policies that a change proposes, and tell
which verdicts would be others: newly blocked, newly allowed, or changed in code, errors
or what policies without Deny would have blocked.

FILE has the records that "callgate manager --audit" writes, one a line; - is standard
input. It may be of any length. PATH is a file, a directory (read recursively: *.yaml,
*.yml, *.json), or - for standard input. It should hold all objects that are to be in
force, and not only those that change.

Nothing is asked over the network. What others said is taken from the record, unless PATH
says it: if PATH has any Role, ClusterRole or binding, these alone decide what RBAC
allows, and a Namespace in PATH decides its labels. A verdict that hangs on something
that neither tells is skipped, and so is every call whose arguments were kept as digests
only (spec.audit.arguments is Full where they are to be kept).

Exit codes: 0 judged, 1 a verdict changed that --fail-on names, or with --fail-on none
could be judged, 2 wrong usage or unreadable input; that includes objects that the API
server would refuse. Lines of a log that are no records are counted and named.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usageError(c, err)
			}
			return o.run(c.Context(), d)
		},
	}
	c.Example = replayExamples(d)
	flags := c.Flags()
	flags.StringArrayVar(&o.logs, "log", nil, "audit log to judge again, or - (repeatable)")
	flags.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory of the proposed objects, or - (repeatable)")
	flags.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of objects that name none")
	flags.StringVarP(&o.output, "output", "o", outputText, "what to print: "+strings.Join(replayOutputs, ", "))
	flags.StringSliceVar(&o.failOn, "fail-on", nil, "changes with which the exit code is 1: "+strings.Join(replayFailOn, ", ")+" (repeatable; default: none)")
	flags.StringVar(&o.validator, "validator-answer", "", "what to take for the answer of semantic validators that were not asked then: true or false; empty: such offers are skipped")
	return c
}

func replayExamples(d Deps) string {
	return named(d, `  # What would the policies of this branch have done to yesterday's calls?
  CALLGATE replay --log audit.jsonl -f policies/

  # Records of a cluster's replicas, from their standard output
  kubectl logs -n callgate-system -l app.kubernetes.io/name=callgate -c manager --tail=-1 | CALLGATE replay --log - -f policies/

  # A comment for a pull request, and a failed job if anything would be blocked
  CALLGATE replay --log audit.jsonl -f policies/ -o markdown --fail-on newly-blocked > comment.md`)
}

func (o *replayOptions) check() error {
	stdin := 0
	for _, f := range slices.Concat(o.logs, o.files) {
		if f == manifest.Stdin {
			stdin++
		}
	}
	switch {
	case len(o.logs) == 0:
		return errors.New("--log is missing: say where the recorded reviews are")
	case len(o.files) == 0:
		return errors.New("-f is missing: say where the proposed ToolPolicies and ToolSchemas are")
	case stdin > 1:
		return errors.New("standard input can be read once: name files for all but one of --log and -f")
	case !slices.Contains(replayOutputs, o.output):
		return fmt.Errorf("--output %q is unknown: choose one of %s", o.output, strings.Join(replayOutputs, ", "))
	case !slices.Contains([]string{"", "true", "false"}, o.validator):
		return fmt.Errorf("--validator-answer %q is unknown: choose true or false", o.validator)
	}
	for _, word := range o.failOn {
		if !slices.Contains(replayFailOn, word) {
			return fmt.Errorf("--fail-on %q is unknown: choose one of %s", word, strings.Join(replayFailOn, ", "))
		}
	}
	return nil
}

func (o *replayOptions) run(ctx context.Context, d Deps) error {
	set, err := (&reviewOptions{files: o.files, namespace: o.namespace}).load(ctx, d)
	if err != nil {
		return err
	}
	judge := replay.NewJudge(o.proposal(set))
	for _, line := range compileLines(set, judge.Output()) {
		fmt.Fprintln(d.Err, line)
	}
	report := replay.NewReport()
	progress := newReplayProgress(d)
	for _, log := range o.logs {
		if err := o.read(ctx, d, log, report, judge, progress); err != nil {
			progress.end()
			return err
		}
	}
	progress.end()
	report.Finish()
	if err := o.print(d, report); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return o.verdict(d, report)
}

// proposal is the policy set of the files, and what they say of the outside.
func (o *replayOptions) proposal(set *manifest.Set) replay.Proposal {
	p := replay.Proposal{Input: compile.Input{
		Schemas: set.Schemas, Policies: set.Policies, NamespaceLabels: namespaceLabels(set),
		Adapters: set.Adapters, AdapterCompiler: adapterCompiler(),
	}}
	if len(set.Roles)+len(set.ClusterRoles)+len(set.RoleBindings)+len(set.ClusterRoleBindings) > 0 {
		p.Access = rbac.New(rbac.Objects{
			Roles: set.Roles, ClusterRoles: set.ClusterRoles, RoleBindings: set.RoleBindings, ClusterRoleBindings: set.ClusterRoleBindings,
		}).Answers
	}
	if o.validator != "" {
		p.Validator = new(o.validator == "true")
	}
	return p
}

// read judges one log, line by line.
func (o *replayOptions) read(ctx context.Context, d Deps, typed string, report *replay.Report, judge *replay.Judge, progress *replayProgress) error {
	in, name := d.In, "standard input"
	if typed != manifest.Stdin {
		f, err := d.FS.Open(d.source(typed).Path)
		if err != nil {
			return fmt.Errorf("reading the log: %s: %w", typed, cause(err))
		}
		defer func() { _ = f.Close() }()
		in, name = f, typed
	}
	reader := audit.NewReader(in)
	for {
		line, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the log: %s: %w", name, cause(err))
		case ctx.Err() != nil:
			return fmt.Errorf("reading the log: %s: %w", name, ctx.Err())
		}
		report.Add(name, line, judge)
		progress.step()
	}
}

// verdict is what the command ends with.
func (o *replayOptions) verdict(d Deps, r *replay.Report) error {
	if r.Judged() == 0 {
		fmt.Fprintln(d.Err, nothingJudged(r))
		if len(o.failOn) > 0 {
			return errBlocked
		}
	}
	if o.fails(replay.NewlyBlocked, r.NewlyBlocked) || o.fails(replay.NewlyAllowed, r.NewlyAllowed) || o.fails(replay.Changed, r.Changed) {
		return errBlocked
	}
	return nil
}

func (o *replayOptions) fails(change replay.Change, n int64) bool {
	return n > 0 && (slices.Contains(o.failOn, failOnChange) || slices.Contains(o.failOn, string(change)))
}

func nothingJudged(r *replay.Report) string {
	switch {
	case r.SkippedFor[replay.SkipDigest] > 0 && r.SkippedFor[replay.SkipDigest] == r.Skipped:
		return "nothing was judged: the log has the arguments as digests only; set spec.audit.arguments: Full on every ToolPolicy that applies"
	case r.Skipped > 0:
		return "nothing was judged: every verdict was skipped"
	case r.BrokenLines > 0:
		return "nothing was judged: no line of the log is a record; is it what callgate manager --audit writes?"
	}
	return "nothing was judged: the log is empty"
}

// progressEvery is how many lines make a step that is shown: a second or so.
const progressEvery = 10_000

// replayProgress tells a person who waits how far it is. Nobody else is told.
type replayProgress struct {
	out   io.Writer
	lines int
}

func newReplayProgress(d Deps) *replayProgress {
	p := &replayProgress{}
	if f, ok := d.Err.(*os.File); ok && isTerminal(f) {
		p.out = f
	}
	return p
}

func (p *replayProgress) step() {
	if p.lines++; p.out != nil && p.lines%progressEvery == 0 {
		fmt.Fprintf(p.out, "\r%s lines", strconv.Itoa(p.lines))
	}
}

// end leaves nothing of it on the screen.
func (p *replayProgress) end() {
	if p.out != nil && p.lines >= progressEvery {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
