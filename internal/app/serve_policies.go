package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rbac"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/webhooks"
)

// policyFiles puts what files hold in force: the policy set with its roles, and the
// records.
type policyFiles struct {
	sources    []manifest.Source
	namespace  string
	strict     bool
	loader     *manifest.Loader
	compiler   *adapter.Compiler
	references *references
	store      *snapshot.Store
	log        logr.Logger
	now        func() time.Time

	// current is what is in force.
	current atomic.Pointer[generation]
	// bound are the roles of the sets that reviews in flight may have begun with, the
	// newest first.
	bound atomic.Pointer[[]boundRoles]
	// told are the problems that were logged already.
	told map[string]struct{}
}

// generation is what one reading gave.
type generation struct {
	snap    *snapshot.Snapshot
	roles   *rbac.Authorizer
	records fileset.Records
	// digest is of everything in the files.
	digest   [sha256.Size]byte
	policies int
	at       time.Time
}

type boundRoles struct {
	snap  *snapshot.Snapshot
	roles *rbac.Authorizer
}

// maxBound is how many sets keep their roles. A review takes 10 s at most, or 40 s with an
// execution, which asks at its begin.
const maxBound = 16

// read gives what puts the objects of the files in force.
func (p *policyFiles) read(ctx context.Context, files fs.FS) (use func(), err error) {
	objects, problems := p.loader.Load(ctx, manifest.Options{FS: files, DefaultNamespace: p.namespace}, p.sources...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, unusable(linesOf(problems))
	}
	g := &generation{digest: digestOf(objects), policies: len(objects.Policies), at: p.now()}
	before := p.current.Load()
	if before != nil && before.digest == g.digest {
		return func() { p.log.V(1).Info("Files changed, and hold what they held", "revision", before.snap.Revision) }, nil
	}
	var prev *compile.Output
	if before != nil {
		prev = before.snap.Output
	}
	out := fileset.Compile(objects, p.compiler, prev)
	g.snap, g.roles, g.records = snapshot.New(out), fileset.Authorizer(objects), fileset.RecordsOf(objects)
	found := append(fileset.Problems(objects, out), p.outside(ctx, objects)...)
	if lines := seriousOf(found); p.strict && len(lines) > 0 {
		return nil, unusable(lines)
	}
	return func() { p.use(g, objects, found) }, nil
}

// use puts a generation in force.
func (p *policyFiles) use(g *generation, objects *manifest.Set, found []fileset.Problem) {
	bound := []boundRoles{{g.snap, g.roles}}
	if before := p.bound.Load(); before != nil {
		bound = append(bound, *before...)
	}
	bound = slices.Clip(bound[:min(len(bound), maxBound)])
	// The roles are found by the set, so that whoever loads the new set finds its own.
	p.bound.Store(&bound)
	p.current.Store(g)
	p.store.Swap(g.snap)
	p.tell(objects, found)
	p.log.Info("The policy set of the files is in force", "revision", g.snap.Revision,
		"toolPolicies", len(objects.Policies), "toolSchemas", len(objects.Schemas), "toolAdapters", len(objects.Adapters))
	if g.policies == 0 {
		p.log.Error(nil, "The files hold no ToolPolicy: every call is blocked with no_policy")
	}
}

// tell logs what is new of the problems.
func (p *policyFiles) tell(objects *manifest.Set, found []fileset.Problem) {
	told := make(map[string]struct{}, len(found)+len(objects.Notes))
	say := func(line string, log func()) {
		if _, known := p.told[line]; !known && len(told) < maxProblems {
			log()
		}
		told[line] = struct{}{}
	}
	for _, f := range found {
		line := f.Diagnostic.String()
		say(line, func() {
			if f.Warning {
				p.log.Info("Warning", "of", line)
				return
			}
			p.log.Error(nil, "Not in force as it is written", "problem", line)
		})
	}
	for _, n := range objects.Notes {
		say(n.String(), func() { p.log.Info("Note", "of", n.String()) })
	}
	p.told = told
}

// outside is what is wrong with what the objects need of others than files.
func (p *policyFiles) outside(ctx context.Context, objects *manifest.Set) (found []fileset.Problem) {
	add := func(key manifest.Key, path, message string) {
		found = append(found, fileset.Problem{Warning: true, Diagnostic: manifest.Diagnostic{
			Position: objects.Position(key, path), Object: key.String(), Path: path, Message: message,
		}})
	}
	for _, policy := range objects.Policies {
		reason, message, err := p.references.Check(ctx, policy)
		if err != nil {
			reason, message = callgatev1alpha1.ReasonRefNotFound, err.Error()
		}
		if reason == callgatev1alpha1.ReasonRefNotFound {
			message += " (--validator-token-file says which file has the token)"
		}
		if reason != "" {
			add(manifest.Key{Kind: manifest.KindToolPolicy, Namespace: policy.Namespace, Name: policy.Name},
				"/spec/semanticValidation", message+"; until that is mended offers are blocked")
		}
	}
	for _, a := range objects.Adapters {
		if a.Spec.HTTP.ServiceAccountTokenAudience != "" {
			add(manifest.Key{Kind: manifest.KindToolAdapter, Namespace: a.Namespace, Name: a.Name},
				"/spec/http/serviceAccountTokenAudience", "without a cluster there are no tokens of a ServiceAccount: the calls of this adapter fail")
		}
	}
	return found
}

// ConfigMap implements adapter.ConfigMaps.
func (p *policyFiles) ConfigMap(ctx context.Context, namespace, name string) (adapter.ConfigMap, bool, error) {
	g := p.current.Load()
	if g == nil {
		return adapter.ConfigMap{}, false, nil
	}
	return g.records.ConfigMap(ctx, namespace, name)
}

// roles answers by the roles that came with the set that judges.
type roles struct{ files *policyFiles }

var _ webhooks.Bound = roles{}

// For implements webhooks.Bound. A set that is too old has no roles any more.
func (r roles) For(snap *snapshot.Snapshot) webhooks.Authorizer {
	if bound := r.files.bound.Load(); bound != nil {
		for _, b := range *bound {
			if b.snap == snap {
				return b.roles
			}
		}
	}
	return &rbac.Authorizer{}
}

// Known implements webhooks.Authorizer. Without a set nobody may do anything.
func (roles) Known(questions []review.Access) (review.Answers, bool) {
	return (&rbac.Authorizer{}).Known(questions)
}

// Ask implements webhooks.Authorizer.
func (roles) Ask(ctx context.Context, questions []review.Access) review.Answers {
	return (&rbac.Authorizer{}).Ask(ctx, questions)
}

func linesOf(problems []manifest.Diagnostic) []string {
	lines := make([]string, 0, len(problems))
	for _, d := range problems {
		lines = append(lines, d.String())
	}
	return lines
}

// seriousOf are the problems for which something is not in force.
func seriousOf(found []fileset.Problem) (lines []string) {
	for _, f := range found {
		if !f.Warning {
			lines = append(lines, f.String())
		}
	}
	return lines
}

// digestOf is equal for equal objects: the UID of each says what it holds.
func digestOf(objects *manifest.Set) [sha256.Size]byte {
	h := sha256.New()
	hashAll(h, objects.Schemas)
	hashAll(h, objects.Policies)
	hashAll(h, objects.Adapters)
	hashAll(h, objects.Namespaces)
	hashAll(h, objects.ConfigMaps)
	hashAll(h, objects.Roles)
	hashAll(h, objects.ClusterRoles)
	hashAll(h, objects.RoleBindings)
	hashAll(h, objects.ClusterRoleBindings)
	return [sha256.Size]byte(h.Sum(nil))
}

func hashAll[T metav1.Object](h io.Writer, objects []T) {
	for _, o := range objects {
		_, _ = fmt.Fprintf(h, "%T %q %q %q\n", o, o.GetNamespace(), o.GetName(), o.GetUID()) // a hash takes everything
	}
}
