package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/lint"
	"github.com/callgate/callgate/internal/manifest"
)

// The outputs of lint beside text and json.
const (
	outputSARIF  = "sarif"
	outputGitHub = "github"
)

var lintOutputs = []string{outputText, outputJSON, outputSARIF, outputGitHub}

type lintOptions struct {
	files      []string
	namespace  string
	output     string
	failOn     string
	providers  []string
	disable    []string
	severities []string
	rules      bool
}

func newLintCommand(d Deps) *cobra.Command {
	var o lintOptions
	c := &cobra.Command{
		Use:   "lint -f PATH...",
		Short: "Check ToolPolicies, ToolSchemas and ToolAdapters in files",
		Long: `Check files before any cluster sees them: everything that the API server would refuse,
everything that status would report once the objects are applied, and what works and can
hardly be meant. Nothing is asked over the network.

PATH is a file, a directory (read recursively: *.yaml, *.yml, *.json), or - for
standard input, such as what kustomize and Helm print. Objects of other kinds are passed
over.

Each finding has a severity, a place, and a rule. Errors are what a cluster refuses or
does not put in force; warnings are what is in force and does something else than its
author can want; notes are worth knowing. --rules lists the rules. A rule whose
findings are warnings or notes can be left out with --disable, or taken more or less
seriously with --severity RULE=SEVERITY.

What providers of models refuse is looked for where --provider names them:
` + lint.ProviderNames() + `.

Exit codes: 0 nothing found that is as bad as --fail-on, 1 something is, 2 wrong usage, or
a file that could not be read, so that nobody can tell what it holds.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			opts, failOn, err := o.check()
			if err != nil {
				return usageError(c, err)
			}
			if o.rules {
				return o.listRules(d)
			}
			return o.run(c.Context(), d, opts, failOn)
		},
	}
	c.Example = lintExamples(d)
	flags := c.Flags()
	flags.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory to check, or - (repeatable)")
	flags.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of objects that name none")
	flags.StringVarP(&o.output, "output", "o", outputText, "what to print: text, json, sarif (2.1.0), or github (annotations of a workflow)")
	flags.StringVar(&o.failOn, "fail-on", lint.Error.String(), "the severity from which on the exit code is 1: error, warning or note")
	flags.StringArrayVar(&o.providers, "provider", nil, "whose limits on names and schemas to check, too: "+lint.ProviderNames()+" (repeatable)")
	flags.StringSliceVar(&o.disable, "disable", nil, "rules not to report; errors cannot be left out (repeatable)")
	flags.StringSliceVar(&o.severities, "severity", nil, "RULE=SEVERITY, for rules that are warnings or notes (repeatable)")
	flags.BoolVar(&o.rules, "rules", false, "list all rules and what they mean, and check nothing")
	return c
}

// check reads the flags.
func (o *lintOptions) check() (opts lint.Options, failOn lint.Severity, err error) {
	if err := o.checkUse(); err != nil {
		return opts, 0, err
	}
	if failOn, err = lint.ParseSeverity(o.failOn); err != nil {
		return opts, 0, fmt.Errorf("--fail-on: %w", err)
	}
	for _, name := range o.providers {
		if !slices.Contains(lint.Providers(), lint.Provider(name)) {
			return opts, 0, fmt.Errorf("--provider %q is unknown: choose one of %s", name, lint.ProviderNames())
		}
		opts.Providers = append(opts.Providers, lint.Provider(name))
	}
	return opts, failOn, o.checkRules(&opts)
}

// checkUse holds the flags to what goes together.
func (o *lintOptions) checkUse() error {
	switch {
	case len(o.files) == 0 && !o.rules:
		return errors.New("-f is missing: say what to check")
	case o.rules && len(o.files) > 0:
		return errors.New("--rules lists the rules and checks nothing: leave out -f")
	case !slices.Contains(lintOutputs, o.output):
		return fmt.Errorf("--output %q is unknown: choose one of %s", o.output, strings.Join(lintOutputs, ", "))
	case o.rules && o.output != outputText && o.output != outputJSON:
		return errors.New("--rules prints text or json")
	}
	return nil
}

// checkRules reads what the flags say of rules.
func (o *lintOptions) checkRules(opts *lint.Options) error {
	opts.Disabled, opts.Severities = map[string]bool{}, map[string]lint.Severity{}
	for _, id := range o.disable {
		if err := changeable("--disable", id); err != nil {
			return err
		}
		opts.Disabled[id] = true
	}
	for _, pair := range o.severities {
		id, name, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("--severity %q: write RULE=SEVERITY", pair)
		}
		if err := changeable("--severity", id); err != nil {
			return err
		}
		severity, err := lint.ParseSeverity(name)
		if err != nil {
			return fmt.Errorf("--severity: %w", err)
		}
		opts.Severities[id] = severity
	}
	return nil
}

// changeable holds flags to rules that there are, and that the cluster does not enforce.
func changeable(flag, id string) error {
	rule, ok := lint.Lookup(id)
	switch {
	case !ok:
		return fmt.Errorf("%s: there is no rule %q: --rules lists them", flag, id)
	case rule.Severity == lint.Error:
		return fmt.Errorf("%s: %s is an error whatever this command says, because a cluster refuses the object or does not put it in force", flag, id)
	}
	return nil
}

func (o *lintOptions) run(ctx context.Context, d Deps, opts lint.Options, failOn lint.Severity) error {
	result := o.look(ctx, d, opts)
	text, err := o.format(d, result)
	if err != nil {
		return fmt.Errorf("writing the findings: %w", err)
	}
	if _, err := d.Out.Write(text); err != nil {
		return fmt.Errorf("writing the findings: %w", cause(err))
	}
	switch {
	case result.Unreadable():
		return errReported
	case result.Worst(failOn):
		return errBlocked
	}
	return nil
}

// look reads, compiles and lints the files.
func (o *lintOptions) look(ctx context.Context, d Deps, opts lint.Options) lint.Result {
	defer roomy(d)()
	sources := make([]manifest.Source, 0, len(o.files))
	for _, f := range o.files {
		sources = append(sources, d.source(f))
	}
	set, problems := manifest.Load(ctx, manifest.Options{FS: d.FS, Stdin: d.In, DefaultNamespace: o.namespace}, sources...)
	out := compile.Compile(compile.Input{
		Schemas: set.Schemas, Policies: set.Policies, NamespaceLabels: namespaceLabels(set),
		Adapters: set.Adapters, AdapterCompiler: adapterCompiler(),
	}, nil)
	return lint.Run(lint.Input{Set: set, Diagnostics: problems, Output: out, Records: lintRecords(set, out)}, opts)
}

func (o *lintOptions) format(d Deps, r lint.Result) ([]byte, error) {
	switch o.output {
	case outputJSON:
		return r.JSON()
	case outputSARIF:
		return r.SARIF(cmp.Or(d.Version, "unknown"))
	case outputGitHub:
		return r.GitHub(), nil
	}
	return newLintPrinter(d).findings(r), nil
}

func (o *lintOptions) listRules(d Deps) error {
	text := newLintPrinter(d).rules()
	if o.output == outputJSON {
		var err error
		if text, err = lint.RulesJSON(); err != nil {
			return fmt.Errorf("writing the rules: %w", err)
		}
	}
	if _, err := d.Out.Write(text); err != nil {
		return fmt.Errorf("writing the rules: %w", cause(err))
	}
	return nil
}
