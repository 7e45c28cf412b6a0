package controllers

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/testenv/statuscheck"
)

const (
	goodParameters = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	badParameters  = `{"type":"object","properties":{"city":{"type":"strin"}}}`
)

func makeSchema(ns, name, tool, parameters string) *callgatev1alpha1.ToolSchema {
	return &callgatev1alpha1.ToolSchema{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
		Spec: callgatev1alpha1.ToolSchemaSpec{
			ToolName:   tool,
			Parameters: &apiextensionsv1.JSON{Raw: []byte(parameters)},
		},
	}
}

func makePolicy(ns, name string, tools ...callgatev1alpha1.EffectiveToolName) *callgatev1alpha1.ToolPolicy {
	return &callgatev1alpha1.ToolPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
		Spec: callgatev1alpha1.ToolPolicySpec{
			Subjects:      callgatev1alpha1.PolicySubjects{ServiceAccountNames: []callgatev1alpha1.ServiceAccountName{"agent"}},
			DeclaredTools: tools,
		},
	}
}

func create(ctx context.Context, objects ...client.Object) {
	GinkgoHelper()
	for _, obj := range objects {
		Expect(env.Client.Create(ctx, obj)).To(Succeed())
	}
}

// update changes an object by merge patch, as people do.
func update[T client.Object](ctx context.Context, obj T, change func(T)) {
	GinkgoHelper()
	base := obj.DeepCopyObject().(T)
	change(obj)
	Expect(env.Client.Patch(ctx, obj, client.MergeFrom(base))).To(Succeed())
}

// ready waits until the status describes the object's present generation, holds it
// to the invariants and returns why it is or is not ready.
func ready(ctx context.Context, obj client.Object, want string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(env.Client.Get(ctx, client.ObjectKeyFromObject(obj), obj)).To(Succeed())
		conditions, observed, broken := inspect(obj)
		g.Expect(broken).To(BeEmpty(), "invariants of %T", obj)
		g.Expect(observed).To(HaveValue(Equal(obj.GetGeneration())), "observedGeneration")
		c := meta.FindStatusCondition(conditions, callgatev1alpha1.ConditionReady)
		g.Expect(c).NotTo(BeNil())
		g.Expect(c.Reason).To(Equal(want), "Ready is %s: %s", c.Status, c.Message)
	}).WithContext(ctx).Should(Succeed())
}

func inspect(obj client.Object) (conditions []metav1.Condition, observed *int64, broken []string) {
	switch o := obj.(type) {
	case *callgatev1alpha1.ToolSchema:
		return o.Status.Conditions, o.Status.ObservedGeneration, statuscheck.ToolSchema(o)
	case *callgatev1alpha1.ToolPolicy:
		return o.Status.Conditions, o.Status.ObservedGeneration, statuscheck.ToolPolicy(o)
	default:
		return nil, nil, []string{"no kind of ours"}
	}
}
