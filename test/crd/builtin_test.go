package crd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/callgate/callgate/internal/manifest"
)

const rbac = "apiVersion: rbac.authorization.k8s.io/v1\nkind: "

// takenBuiltins are objects of Kubernetes' own kinds that a verdict may depend on.
var takenBuiltins = []string{
	"apiVersion: v1\nkind: Namespace\nmetadata: {name: builtin-a, labels: {tenant: alpha}}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a.b, labels: {callgate.dev/records: 'true'}}\ndata: {a: '', tickets.json: '{}'}\nbinaryData: {x: aGk=}\nimmutable: true",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: null",
	rbac + "Role\nmetadata: {name: 'system:A b'}\nrules: [{apiGroups: [callgate.dev], resources: [toolschemas], resourceNames: [get-ticket], verbs: [call]}]",
	rbac + "Role\nmetadata: {name: empty}",
	rbac + "ClusterRole\nmetadata: {name: 'builtin:a'}\nrules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}, {nonResourceURLs: ['*'], verbs: [get]}]",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role, name: x}\nsubjects: [{kind: ServiceAccount, name: a, namespace: b}, {kind: User, name: u}, {kind: Group, name: g, apiGroup: rbac.authorization.k8s.io}]",
	rbac + "RoleBinding\nmetadata: {name: c}\nroleRef: {kind: Role, name: x}\nsubjects: [{kind: ServiceAccount, name: a}]",
	rbac + "RoleBinding\nmetadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: x}",
	rbac + "ClusterRoleBinding\nmetadata: {name: builtin-a}\nroleRef: {kind: ClusterRole, name: x}\nsubjects: [{kind: ServiceAccount, name: a, namespace: b}]",
}

// refusedBuiltins are such that are refused.
var refusedBuiltins = []string{
	"apiVersion: v1\nkind: Namespace\nmetadata: {name: a.b}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {'a b': c}}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 5}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: []",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a/b: ''}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {'..': ''}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: ''}\nbinaryData: {a: ''}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nbinaryData: {a: '!'}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndatas: {}",
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, lables: {}}",
	rbac + "Role\nmetadata: {name: a/b}",
	rbac + "Role\nmetadata: {name: '..'}",
	rbac + "Role\nmetadata: {name: a}\nrules: [{apiGroups: [''], resources: [x]}]",
	rbac + "Role\nmetadata: {name: a}\nrules: [{resources: [x], verbs: [get]}]",
	rbac + "Role\nmetadata: {name: a}\nrules: [{apiGroups: [''], verbs: [get]}]",
	rbac + "Role\nmetadata: {name: a}\nrules: [{apiGroups: [''], resources: [x], verb: [get]}]",
	rbac + "Role\nmetadata: {name: a}\nrules: [{apiGroups: [''], resources: [x], verbs: get}]",
	rbac + "Role\nmetadata: {name: a}\nrules: [{nonResourceURLs: [/x], verbs: [get]}]",
	rbac + "ClusterRole\nmetadata: {name: builtin-a}\nrules: [{apiGroups: [''], resources: [x], nonResourceURLs: [/x], verbs: [get]}]",
	rbac + "RoleBinding\nmetadata: {name: a}",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role}",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Roll, name: x}",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role, name: x/y}",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role, name: x, apiGroup: y}",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role, name: x}\nsubjects: [{kind: ServiceAccount, name: A, namespace: b}]",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role, name: x}\nsubjects: [{kind: ServiceAccount, name: a, namespace: b, apiGroup: rbac.authorization.k8s.io}]",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role, name: x}\nsubjects: [{kind: User, name: a, apiGroup: v1}]",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role, name: x}\nsubjects: [{kind: User, name: ''}]",
	rbac + "RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role, name: x}\nsubjects: [{kind: Robot, name: a}]",
	rbac + "ClusterRoleBinding\nmetadata: {name: builtin-a}\nroleRef: {kind: Role, name: x}",
	rbac + "ClusterRoleBinding\nmetadata: {name: builtin-a}\nroleRef: {kind: ClusterRole, name: x}\nsubjects: [{kind: ServiceAccount, name: a}]",
}

var _ = Describe("Kubernetes' own kinds", func() {
	// ask gives what the API server says to a create, and whoever reads files.
	ask := func(ctx context.Context, text string) (*unstructured.Unstructured, *manifest.Set, []manifest.Diagnostic, error) {
		GinkgoHelper()
		namespace := env.Namespace(ctx, GinkgoT())
		o := &unstructured.Unstructured{}
		Expect(yaml.Unmarshal([]byte(text), &o.Object)).To(Succeed())
		if kind := o.GetKind(); kind == manifest.KindConfigMap || kind == manifest.KindRole || kind == manifest.KindRoleBinding {
			o.SetNamespace(namespace)
		}
		err := env.Client.Create(ctx, o, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
		reader, loadErr := loader()
		Expect(loadErr).NotTo(HaveOccurred())
		set, problems := reader.Load(ctx, manifest.Options{FS: fstest.MapFS{"o.yaml": {Data: []byte(text)}}, DefaultNamespace: namespace}, manifest.Source{Path: "o.yaml"})
		Expect(set.Notes).To(BeEmpty(), "the kind is read")
		return o, set, problems, err
	}

	for i, text := range takenBuiltins {
		It(fmt.Sprintf("are read as they are stored, %d", i), func(ctx context.Context) {
			o, set, problems, err := ask(ctx, text)
			Expect(err).NotTo(HaveOccurred())
			Expect(problems).To(BeEmpty())
			stored := set.Stored(manifest.Key{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()})
			var file map[string]any
			Expect(json.Unmarshal(stored, &file)).To(Succeed(), "%s", stored)
			for _, field := range []string{"data", "binaryData", "immutable", "rules", "roleRef", "subjects"} {
				if o.Object[field] == nil {
					Expect(file[field]).To(BeNil(), field)
					continue
				}
				Expect(file[field]).To(Equal(o.Object[field]), field)
			}
			read := &unstructured.Unstructured{Object: file}
			Expect(read.GetLabels()).To(Equal(o.GetLabels()))
		})
	}

	for i, text := range refusedBuiltins {
		It(fmt.Sprintf("are refused by both, %d", i), func(ctx context.Context) {
			o, set, problems, err := ask(ctx, text)
			Expect(err).To(HaveOccurred(), text)
			Expect(problems).NotTo(BeEmpty(), "the API server says: %v", err)
			for _, p := range problems {
				Expect(p.Line).To(BeNumerically(">", 0), "a problem says where: %+v", p)
			}
			Expect(set.Stored(manifest.Key{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()})).To(BeNil())
		})
	}
})
