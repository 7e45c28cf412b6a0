// Package rbac_test holds what files say of permissions to what a real API server says.
package rbac_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rbac"
	"github.com/callgate/callgate/internal/testenv"
)

var env *testenv.Env

func TestRBAC(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "RBAC in files and in a cluster")
}

var _ = BeforeSuite(func() {
	SetDefaultEventuallyTimeout(30 * time.Second)
	SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	env = testenv.Start(GinkgoTB())
})

var _ = Describe("Whoever may do something by roles in files", func() {
	for seed := range uint64(12) {
		It(fmt.Sprintf("may do it by the same roles in a cluster, seed %d", seed), func(ctx SpecContext) {
			g := newGenerator(seed, env.Namespace(ctx, GinkgoTB()), env.Namespace(ctx, GinkgoTB()))
			objects := g.objects()
			create(ctx, objects)
			agree(ctx, rbac.New(objects), g.questions(150))
		})
		It(fmt.Sprintf("may do it by the same aggregated roles in a cluster, seed %d", seed), func(ctx SpecContext) {
			g := newGenerator(100+seed, env.Namespace(ctx, GinkgoTB()), env.Namespace(ctx, GinkgoTB()))
			objects := g.aggregated()
			files := rbac.New(objects)
			create(ctx, objects)
			aggregate(ctx, objects)
			agree(ctx, files, g.questions(150))
		})
	}

	It("is in the groups that the API server says", func(ctx SpecContext) {
		namespace := env.Namespace(ctx, GinkgoTB())
		env.ServiceAccount(ctx, GinkgoTB(), namespace, "agent")
		review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: env.Token(ctx, GinkgoTB(), namespace, "agent", "", 600)}}
		review, err := env.Clientset.AuthenticationV1().TokenReviews().Create(ctx, review, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(review.Status.User.Groups).To(ConsistOf(rbac.Groups(namespace)))
	})
})

// What a cluster has by itself can be had out of it and read from a file.
var _ = It("reads the roles that every cluster has", func(ctx SpecContext) {
	kubectl, kubeconfig := env.Kubectl(GinkgoTB())
	text, err := exec.CommandContext(ctx, kubectl, "--kubeconfig", kubeconfig, "get", "namespaces,clusterroles,clusterrolebindings,roles,rolebindings,configmaps", "-A", "-o", "yaml").Output()
	Expect(err).NotTo(HaveOccurred())
	set, problems := manifest.Load(ctx, manifest.Options{FS: fstest.MapFS{"cluster.yaml": {Data: text}}}, manifest.Source{Path: "cluster.yaml"})
	Expect(problems).To(BeEmpty())
	Expect(len(set.ClusterRoles)).To(BeNumerically(">", 30))
	admin := rbac.Request{User: "x", Groups: []string{"system:masters"}, Verb: "call", APIGroup: "callgate.dev", Resource: "toolschemas", Namespace: "default", Name: "t"}
	by, allowed := rbac.New(rbac.Objects{
		Roles: set.Roles, ClusterRoles: set.ClusterRoles, RoleBindings: set.RoleBindings, ClusterRoleBindings: set.ClusterRoleBindings,
	}).Allows(admin)
	Expect(allowed).To(BeTrue())
	Expect(by).To(Equal("ClusterRoleBinding cluster-admin"))
})

func create(ctx context.Context, objects rbac.Objects) {
	GinkgoHelper()
	for _, o := range all(objects) {
		o = o.DeepCopyObject().(client.Object)
		Expect(env.Client.Create(ctx, o)).To(Succeed(), "%T %s", o, o.GetName())
		DeferCleanup(func(ctx SpecContext) { Expect(env.Client.Delete(ctx, o)).To(Succeed()) })
	}
}

// aggregate does what the controller of a cluster does, which this one has not: it gives
// each role that aggregates the rules of those that the API server selects by its labels,
// until nothing changes any more.
func aggregate(ctx context.Context, objects rbac.Objects) {
	GinkgoHelper()
	for changed := true; changed; {
		changed = false
		for _, o := range objects.ClusterRoles {
			if o.AggregationRule == nil {
				continue
			}
			var role rbacv1.ClusterRole
			Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(o), &role)).To(Succeed())
			var rules []rbacv1.PolicyRule
			for i := range role.AggregationRule.ClusterRoleSelectors {
				selector, err := metav1.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i])
				Expect(err).NotTo(HaveOccurred())
				var selected rbacv1.ClusterRoleList
				Expect(env.Client.List(ctx, &selected, client.MatchingLabelsSelector{Selector: selector})).To(Succeed())
				for _, other := range selected.Items {
					for _, rule := range other.Rules {
						known := slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool { return equality.Semantic.DeepEqual(r, rule) })
						if other.Name != role.Name && !known {
							rules = append(rules, rule)
						}
					}
				}
			}
			if equality.Semantic.DeepEqual(rules, role.Rules) {
				continue
			}
			changed, role.Rules = true, rules
			Expect(env.Client.Update(ctx, &role)).To(Succeed())
		}
	}
}

func agree(ctx context.Context, files *rbac.Authorizer, questions []rbac.Request) {
	GinkgoHelper()
	// The API server's authorizer hears of objects a moment after they are made.
	Eventually(func(ctx context.Context) []string { return differences(ctx, files, questions) }).
		WithContext(ctx).Should(BeEmpty())
	Expect(granted(files, questions)).To(And(BeNumerically(">", 0), BeNumerically("<", len(questions))), "questions that tell nothing")
}

// differences are the questions that the API server answers otherwise.
func differences(ctx context.Context, files *rbac.Authorizer, questions []rbac.Request) (found []string) {
	for _, q := range questions {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: q.User, Groups: q.Groups,
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: q.Namespace, Verb: q.Verb, Group: q.APIGroup, Resource: q.Resource, Name: q.Name,
			},
		}}
		review, err := env.Clientset.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return []string{err.Error()}
		}
		if by, allowed := files.Allows(q); allowed != review.Status.Allowed {
			found = append(found, fmt.Sprintf("%+v: %v (%s) in files, %v (%s) in the cluster", q, allowed, by, review.Status.Allowed, review.Status.Reason))
		}
	}
	return found
}

func granted(files *rbac.Authorizer, questions []rbac.Request) (n int) {
	for _, q := range questions {
		if _, allowed := files.Allows(q); allowed {
			n++
		}
	}
	return n
}

func all(o rbac.Objects) (list []client.Object) {
	for _, r := range o.Roles {
		list = append(list, r)
	}
	for _, r := range o.ClusterRoles {
		list = append(list, r)
	}
	for _, b := range o.RoleBindings {
		list = append(list, b)
	}
	for _, b := range o.ClusterRoleBindings {
		list = append(list, b)
	}
	return list
}

// pick is one of the words.
func pick[T any](r *rand.Rand, words ...T) T { return words[r.IntN(len(words))] }
