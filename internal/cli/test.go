package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/internal/manifest"
)

const outputJUnit = "junit"

// maxParallel bounds --parallel: more than this many at once finish no sooner on any
// machine.
const maxParallel = 256

type testOptions struct {
	files     []string
	namespace string
	run       string
	output    string
	json      bool
	coverage  bool
	parallel  int
}

func newTestCommand(d Deps) *cobra.Command {
	o := testOptions{parallel: runtime.GOMAXPROCS(0)}
	c := &cobra.Command{
		Use:   "test [-f PATH...]",
		Short: "Run case files against ToolPolicies and ToolSchemas in files",
		Long: `Run cases, and say where an answer is not the one that the case expects.

PATH is a file, a directory (read recursively: *.yaml, *.yml, *.json), or - for
standard input; without -f it is the working directory. It holds the objects, and the
cases beside them, each known by its member "expected". Of a single file, the
directory tests beside it is read too. A gateway's policy-config.yaml stands for the
ToolPolicy and ToolSchemas that it describes.

A case has a name, an input and what is expected of the answer:

  name: blocks-undeclared-tool
  input:
    request: {tools: [{type: function, function: {name: delete_database}}]}
  expected: {verdict: block, reason_code: tool-validation.invalid}

The input is a request to a provider or a list of tools (an offer), a provider's message
or calls, or one call (an execution, run by the ToolAdapters and ConfigMaps of PATH).
Beside it may stand as (the ServiceAccount; without it, one of the only namespace that
has a policy), context, onBehalfOf, and validator: what is taken for the answer of the
semantic validator. Nothing is asked over the network.

Exit codes: 0 all cases passed, 1 some failed or there is none, 2 wrong usage or
unreadable input; that includes objects that the API server would refuse.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.json {
				o.output = outputJSON
			}
			filter, err := o.check()
			if err != nil {
				return usageError(c, err)
			}
			return o.execute(c.Context(), d, filter)
		},
	}
	c.Example = testExamples(d)
	flags := c.Flags()
	flags.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory of objects and cases, or - (repeatable; default: the working directory)")
	flags.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of objects that name none")
	flags.StringVar(&o.run, "run", "", "run only cases whose name matches this regular expression")
	flags.StringVarP(&o.output, "output", "o", outputText, "what to print: text, json or junit")
	flags.BoolVar(&o.json, "json", false, "the same as --output json")
	flags.BoolVar(&o.coverage, "coverage", false, "list the tools, codes and rules that no case touches, and not only how many")
	flags.IntVar(&o.parallel, "parallel", o.parallel, "how many cases to run at once")
	flags.Lookup("parallel").DefValue = "number of CPUs"
	return c
}

func (o *testOptions) check() (*regexp.Regexp, error) {
	if !slices.Contains([]string{outputText, outputJSON, outputJUnit}, o.output) {
		return nil, fmt.Errorf("--output %q is unknown: choose text, json or junit", o.output)
	}
	if o.parallel < 1 || o.parallel > maxParallel {
		return nil, fmt.Errorf("--parallel %d is out of bounds: choose 1 to %d", o.parallel, maxParallel)
	}
	filter, err := regexp.Compile(o.run)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	return filter, nil
}

// execute loads, runs and reports.
func (o *testOptions) execute(ctx context.Context, d Deps, filter *regexp.Regexp) error {
	set, problems := manifest.Load(ctx, manifest.Options{FS: d.FS, Stdin: d.In, DefaultNamespace: o.namespace}, o.sources(d)...)
	cases, more := casesOf(set)
	problems = append(problems, more...)
	for _, p := range problems {
		fmt.Fprintln(d.Err, p)
	}
	if len(problems) > 0 {
		return errReported
	}
	for _, n := range set.Notes {
		fmt.Fprintf(d.Err, "note: %s\n", n)
	}
	whole := len(cases)
	cases = slices.DeleteFunc(cases, func(c located) bool { return !filter.MatchString(c.Name) })
	b, err := newBench(set)
	if err != nil {
		return err
	}
	defer b.close()
	if lines := b.callers(cases); len(lines) > 0 {
		fmt.Fprintln(d.Err, strings.Join(lines, "\n"))
		return errReported
	}
	r := report{outcomes: b.runAll(ctx, cases, o.parallel), coverage: b.coverage(), list: o.coverage, skipped: whole - len(cases)}
	if err := r.write(d, o.output); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	if r.failed() > 0 {
		return errBlocked
	}
	if len(cases) == 0 {
		fmt.Fprintln(d.Err, none(whole, o.run))
		return errBlocked
	}
	return ctx.Err()
}

func none(whole int, filter string) string {
	if whole > 0 {
		return fmt.Sprintf("no case was run: the name of none of the %d matches --run %s", whole, filter)
	}
	return "no case was found: a case is a file with the members name, input and expected, such as tests/blocks-undeclared-tool.json"
}

// sources are the paths that were typed, and the cases beside a single file.
func (o *testOptions) sources(d Deps) []manifest.Source {
	files := o.files
	if len(files) == 0 {
		files = []string{"."}
	}
	var out []manifest.Source
	for _, f := range files {
		s := d.source(f)
		out = append(out, s)
		if info, err := fs.Stat(d.FS, s.Path); s.Path == manifest.Stdin || err != nil || info.IsDir() {
			continue
		}
		beside := d.source(besides(f, "tests"))
		if info, err := fs.Stat(d.FS, beside.Path); err == nil && info.IsDir() {
			out = append(out, beside)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			out = append(out, beside)
		}
	}
	return out
}

func testExamples(d Deps) string {
	return named(d, `  # All cases below the working directory, or below a directory
  CALLGATE test
  CALLGATE test -f policies/

  # One file of objects, with the cases in tests/ beside it, for a CI system
  CALLGATE test -f policies/support.yaml -o junit > report.xml

  # Some cases, and what none of them touches
  CALLGATE test -f policies/ --run '^refund' --coverage`)
}
