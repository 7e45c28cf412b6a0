package testenv

import (
	"context"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Namespace makes a namespace with a name that no other test has.
func (e *Env) Namespace(ctx context.Context, tb TB) string {
	tb.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := e.Client.Create(ctx, ns); err != nil {
		tb.Fatalf("creating a namespace: %v", err)
	}
	return ns.Name
}

// ServiceAccount makes a ServiceAccount.
func (e *Env) ServiceAccount(ctx context.Context, tb TB, namespace, name string) {
	tb.Helper()
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if err := e.Client.Create(ctx, sa); err != nil {
		tb.Fatalf("creating ServiceAccount %s/%s: %v", namespace, name, err)
	}
}

// Token asks the API server for a token of a ServiceAccount. An empty audience is
// the API server's own. The API server gives no life under 600 seconds.
func (e *Env) Token(ctx context.Context, tb TB, namespace, serviceAccount, audience string, expirationSeconds int64) string {
	tb.Helper()
	request := &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &expirationSeconds},
	}
	if audience != "" {
		request.Spec.Audiences = []string{audience}
	}
	response, err := e.Clientset.CoreV1().ServiceAccounts(namespace).
		CreateToken(ctx, serviceAccount, request, metav1.CreateOptions{})
	if err != nil {
		tb.Fatalf("requesting a token of ServiceAccount %s/%s: %v", namespace, serviceAccount, err)
	}
	return response.Status.Token
}

// AddUser gives the configuration of a user with a client certificate, who may do
// only what RBAC allows.
func (e *Env) AddUser(tb TB, name string, groups ...string) *rest.Config {
	tb.Helper()
	user, err := e.env.AddUser(envtest.User{Name: name, Groups: groups}, &rest.Config{QPS: -1})
	if err != nil {
		tb.Fatalf("adding user %s: %v", name, err)
	}
	return user.Config()
}

// Grant gives a subject the rules in every namespace.
func (e *Env) Grant(ctx context.Context, tb TB, name string, subject rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	tb.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: slices.Clone(rules)}
	if err := e.Client.Create(ctx, role); err != nil {
		tb.Fatalf("creating ClusterRole %s: %v", name, err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{subject},
	}
	if err := e.Client.Create(ctx, binding); err != nil {
		tb.Fatalf("creating ClusterRoleBinding %s: %v", name, err)
	}
}
