package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/importer"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/shown"
)

// maxImportBytes bounds what is imported: the largest catalogues known have some 2 MB.
const maxImportBytes = 16 << 20

const sourceVerdictan = "verdictan"

type importOptions struct {
	namespace string
	name      string
	accounts  []string
	server    string
	directory string
	force     bool
}

// importSources are the subcommands.
var importSources = []struct{ name, short, long string }{
	{sourceVerdictan, "Import the configuration of a Verdictan gateway",
		`FILE is a policy-config.yaml whose chain has the policy tool-validation. An empty
declared_tools becomes *. The gateway judges offers; a ToolPolicy judges calls too, so
that without schemas every call will be unknown_tool.`},
	{string(importer.MCP), "Import the tools of an MCP server",
		`FILE is a server's answer to tools/list, its result, the list of tools, or a list of
several answers. Schemas without a $schema are JSON Schema 2020-12.`},
	{string(importer.OpenAI), "Import the tools of a request to OpenAI",
		`FILE is a request of Chat Completions or Responses, or its list of tools. Schemas
without a $schema are JSON Schema Draft 7.`},
	{string(importer.Anthropic), "Import the tools of a request to Anthropic",
		`FILE is a request of the Messages API, or its list of tools. Schemas without a $schema
are JSON Schema 2020-12.`},
}

func newImportCommand(d Deps) *cobra.Command {
	c := &cobra.Command{
		Use:   "import",
		Short: "Write ToolPolicies and ToolSchemas for tools that are described elsewhere",
		Long: `Write the YAML of a ToolPolicy that declares the tools of a file, and of a ToolSchema
for each tool that has one. Read it before it is applied: what the file does not say,
such as which ServiceAccounts are meant, is told on standard error.

The same file always gives the same objects, names included.

Exit codes: 0 written, 1 written but with a schema that does not compile, 2 nothing
written.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return usageError(c, errors.New("a source is missing: verdictan, mcp, openai or anthropic"))
		},
	}
	c.Example = importExamples(d)
	for _, s := range importSources {
		c.AddCommand(newImportSource(d, s.name, s.short, s.long))
	}
	return c
}

func newImportSource(d Deps, source, short, long string) *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   source + " FILE",
		Short: short,
		Long:  long + "\n\nFILE may be - for standard input.",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(c, fmt.Errorf("one FILE is wanted, not %d", len(args)))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return usageError(c, err)
			}
			return o.run(c.Context(), d, source, args[0])
		},
	}
	flags := c.Flags()
	flags.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the objects; without it they say none")
	flags.StringVar(&o.name, "name", "", "name of the ToolPolicy (default: of the pack, or imported)")
	flags.StringArrayVar(&o.accounts, "service-account", nil, "ServiceAccount that the ToolPolicy is about (repeatable; default: every one of the namespace)")
	if source == string(importer.MCP) {
		flags.StringVar(&o.server, "server", "", "name under which the agent knows the server: the tools are then called NAME/tool")
	}
	flags.StringVarP(&o.directory, "output-dir", "o", "", "write one file for each object into this directory, instead of all to standard output")
	flags.BoolVar(&o.force, "force", false, "overwrite files in --output-dir")
	return c
}

func importExamples(d Deps) string {
	return named(d, `  # What an MCP server offers, as objects of the namespace support
  CALLGATE import mcp tools-list.json -n support --service-account assistant > tools.yaml

  # The tools of a request that an agent sends, from a pipe
  CALLGATE import openai - < request.json

  # A gateway's configuration, one file for each object
  CALLGATE import verdictan policy-config.yaml -o policies/`)
}

func (o *importOptions) check() error {
	for _, name := range []struct {
		flag, value string
		problems    func(string) []string
	}{{"namespace", o.namespace, validation.IsDNS1123Label}, {"name", o.name, validation.IsDNS1123Subdomain}} {
		if name.value == "" {
			continue
		}
		if wrong := name.problems(name.value); len(wrong) > 0 {
			return fmt.Errorf("--%s %q: %s", name.flag, name.value, wrong[0])
		}
	}
	return nil
}

func (o *importOptions) run(ctx context.Context, d Deps, source, file string) error {
	text, err := d.readImport(file)
	if err != nil {
		return err
	}
	result, err := o.convert(source, text)
	if err != nil {
		return fmt.Errorf("importing %s: %w", file, err)
	}
	for _, n := range result.Notes {
		fmt.Fprintf(d.Err, "note: %s\n", shown.Escape(n))
	}
	files := make([][]byte, 0, len(result.Objects))
	for i := range result.Objects {
		text, err := document(&result.Objects[i], source, file)
		if err != nil {
			return fmt.Errorf("writing %s %s: %w", result.Objects[i].Kind, result.Objects[i].Name, err)
		}
		files = append(files, text)
	}
	sound, err := o.verify(ctx, d, files)
	if err != nil {
		return err
	}
	if o.directory != "" {
		err = o.write(d, result.Objects, files)
	} else {
		_, err = d.Out.Write(bytes.Join(files, []byte("---\n")))
		if err != nil {
			err = fmt.Errorf("writing the objects: %w", err)
		}
	}
	if err == nil && !sound {
		return errBlocked
	}
	return err
}

func (o *importOptions) convert(source string, text []byte) (importer.Result, error) {
	opts := importer.Options{
		APIVersion: callgatev1alpha1.GroupVersion.String(), Namespace: o.namespace, PolicyName: o.name,
		ServiceAccounts: o.accounts, Server: o.server,
	}
	if source == sourceVerdictan {
		converted, err := yaml.YAMLToJSONStrict(text)
		if err != nil {
			return importer.Result{}, err
		}
		return importer.Configuration(converted, opts)
	}
	if opts.PolicyName == "" {
		opts.PolicyName = "imported"
	}
	return importer.Tools(importer.Source(source), text, opts)
}

// readImport reads what is imported, within its bound.
func (d Deps) readImport(typed string) ([]byte, error) {
	in, name := d.In, "standard input"
	if typed != manifest.Stdin {
		f, err := d.FS.Open(d.source(typed).Path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", typed, cause(err))
		}
		defer func() { _ = f.Close() }()
		in, name = f, typed
	}
	text, err := io.ReadAll(io.LimitReader(in, maxImportBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, cause(err))
	case len(text) > maxImportBytes:
		return nil, fmt.Errorf("reading %s: it is larger than %d MiB", name, maxImportBytes>>20)
	}
	return text, nil
}

// document is an object as a file has it.
func document(object *importer.Object, source, file string) ([]byte, error) {
	text, err := yaml.Marshal(object.Content)
	if err != nil {
		return nil, err
	}
	from := path.Base(filepath.ToSlash(file))
	if file == manifest.Stdin {
		from = "standard input"
	}
	return append([]byte("# Written by callgate import "+source+" from "+shown.Escape(from)+".\n"), text...), nil
}

// verify says what a cluster would say of the objects. One that it would refuse ends the
// command; sound is false where one would not be in force.
func (o *importOptions) verify(ctx context.Context, d Deps, files [][]byte) (sound bool, err error) {
	set, problems := manifest.Load(ctx, manifest.Options{Stdin: bytes.NewReader(bytes.Join(files, []byte("---\n")))}, manifest.Source{Path: manifest.Stdin})
	tell := func(line string) { fmt.Fprintln(d.Err, "output"+strings.TrimPrefix(line, "<stdin>")) }
	for _, p := range problems {
		tell(p.String())
	}
	if len(problems) > 0 {
		return false, errReported
	}
	out := compile.Compile(compile.Input{Schemas: set.Schemas, Policies: set.Policies}, nil)
	for _, line := range compileLines(set, out) {
		tell(line)
	}
	for _, s := range out.Schemas {
		if !s.Accepted() {
			return false, nil
		}
	}
	return true, nil
}

// write writes one file for each object, and overwrites none unless it may.
func (o *importOptions) write(d Deps, objects []importer.Object, files [][]byte) error {
	names := make([]string, 0, len(objects))
	for _, object := range objects {
		name := strings.ToLower(object.Kind) + "-" + object.Name + ".yaml"
		if _, err := fs.Stat(d.FS, d.source(path.Join(o.directory, name)).Path); err == nil && !o.force {
			return fmt.Errorf("%s exists: choose another directory, or --force", path.Join(o.directory, name))
		}
		names = append(names, name)
	}
	if d.WriteFile == nil {
		return errors.New("no files can be written here")
	}
	for i, name := range names {
		target := d.source(path.Join(o.directory, name)).Path
		if err := d.WriteFile(target, files[i]); err != nil {
			return fmt.Errorf("writing %s: %w", path.Join(o.directory, name), cause(err))
		}
	}
	fmt.Fprintf(d.Err, "%d files written to %s\n", len(files), o.directory)
	return nil
}
