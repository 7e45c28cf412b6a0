package manifest

import (
	"context"
	"io"
	"io/fs"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// Options say where Load reads.
type Options struct {
	// FS holds the files.
	FS fs.FS
	// Stdin is read where a source is Stdin.
	Stdin io.Reader
	// DefaultNamespace is the namespace of objects that name none. Absent: "default".
	DefaultNamespace string
}

// Set is what the files hold.
type Set struct {
	// Schemas, Policies and Adapters are the objects as a client of the API server
	// would read them, sorted by namespace and name. Their generation is 1, and the UID
	// of every object says what it holds: it is another one when the file changes.
	Schemas  []*callgatev1alpha1.ToolSchema
	Policies []*callgatev1alpha1.ToolPolicy
	Adapters []*callgatev1alpha1.ToolAdapter

	// Namespaces and ConfigMaps are what tenants and records are read from, the rest is
	// what an authorizer needs. All are sorted as the above. The rules of an aggregated
	// ClusterRole are those that it has in the file.
	Namespaces          []*corev1.Namespace
	ConfigMaps          []*corev1.ConfigMap
	Roles               []*rbacv1.Role
	ClusterRoles        []*rbacv1.ClusterRole
	RoleBindings        []*rbacv1.RoleBinding
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding

	// Cases and Configurations are the documents that are no Kubernetes objects: with
	// the member "expected", or with "policies.chain". They stand in the order in which
	// they were read.
	Cases, Configurations []Document

	// ServiceAccounts are those that the files create. They decide nothing.
	ServiceAccounts []types.NamespacedName

	// Warnings are what reads otherwise than it looks, sorted by file and line. Nothing is
	// refused for it.
	Warnings []Diagnostic
	// Notes say what was passed over.
	Notes []Note

	objects map[Key]*entry
}

// Loader holds the rules of the kinds, which take a moment to prepare. It is safe
// for concurrent use.
type Loader struct{ rules map[string]*rules }

// NewLoader prepares the rules. It fails only if the embedded
// CustomResourceDefinitions are broken.
func NewLoader() (*Loader, error) {
	rules, err := loadRules()
	if err != nil {
		return nil, err
	}
	return &Loader{rules: rules}, nil
}

// Load reads the sources once, for who needs no Loader.
func Load(ctx context.Context, opts Options, sources ...Source) (*Set, []Diagnostic) {
	loader, err := NewLoader()
	if err != nil {
		return &Set{}, []Diagnostic{{Rule: RuleUnreadable, Message: message(err.Error())}}
	}
	return loader.Load(ctx, opts, sources...)
}

// Load reads the sources and answers as the API server would if each object were
// created. It reports every problem, sorted by file and line; the set holds the
// objects without any.
func (r *Loader) Load(ctx context.Context, opts Options, sources ...Source) (*Set, []Diagnostic) {
	l := &loader{
		ctx: ctx, opts: opts, rules: r.rules,
		keys: &plainKeys{known: map[string]string{}},
		set:  &Set{objects: map[Key]*entry{}},
	}
	if l.opts.DefaultNamespace == "" {
		l.opts.DefaultNamespace = "default"
	}
	seen := map[string]struct{}{}
	for _, s := range sources {
		for _, f := range l.files(s) {
			// A file that is named twice, or in a directory named too, is one file.
			if _, again := seen[f.Path]; again {
				continue
			}
			seen[f.Path] = struct{}{}
			l.load(f)
		}
	}
	l.flush()
	l.set.sort()
	l.set.Warnings = sortDiagnostics(l.set.Warnings)
	return l.set, sortDiagnostics(l.diagnostics)
}

// loader is one run of Load.
type loader struct {
	ctx   context.Context
	opts  Options
	rules map[string]*rules
	keys  *plainKeys
	total int
	// parts are still to be read, queued bytes of them; pending are still to be admitted.
	parts       []part
	queued      int
	pending     []*candidate
	set         *Set
	diagnostics []Diagnostic
}

func (l *loader) load(f Source) {
	if l.ctx.Err() != nil {
		l.unreadable(f, l.ctx.Err())
		return
	}
	text, ok := l.read(f)
	if !ok {
		return
	}
	for _, p := range l.split(f.name(), text) {
		l.parts, l.queued = append(l.parts, p), l.queued+p.size
	}
	if l.queued >= batchBytes {
		l.flush()
	}
}

func (l *loader) add(d Diagnostic) { l.diagnostics = append(l.diagnostics, d) }

// refuse reports something wrong at a JSON Pointer of a document.
func (l *loader) refuse(rule string, d document, ptr, text string) {
	at := d.at.pointer(ptr)
	l.add(Diagnostic{Position: Position{d.file, at.line, at.column}, Rule: rule, Path: ptr, Message: message(text)})
}

func (l *loader) note(d document, text string) {
	l.set.Notes = append(l.set.Notes, Note{Position{d.file, d.at.line, d.at.column}, RulePassedOver, message(text)})
}

// warn passes on what was noticed of a document while it was read, once it is known what
// object it holds.
func (l *loader) warn(d document, key Key) {
	for _, f := range d.warnings {
		if path, ok := strings.CutPrefix(f.ptr, d.base); ok && (path == "" || path[0] == '/') {
			l.set.Warnings = append(l.set.Warnings, Diagnostic{
				Position: Position{d.file, f.line, f.column}, Rule: f.rule, Object: key.String(), Path: path, Message: message(f.text),
			})
		}
	}
}

// report turns findings into diagnostics.
func (l *loader) report(file string, found *findings) {
	for _, f := range found.list {
		l.add(Diagnostic{Position: Position{file, f.line, f.column}, Rule: f.rule, Path: f.ptr, Message: message(f.text)})
	}
	if found.more > 0 {
		l.add(Diagnostic{Position: Position{File: file}, Rule: RuleMore, Message: "there are more problems, which are not shown"})
	}
	*found = findings{}
}
