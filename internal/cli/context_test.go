package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/review"
)

const contextObjects = `
apiVersion: callgate.dev/v1alpha1
kind: ToolPolicy
metadata: {name: p, namespace: team}
spec:
  subjects: {serviceAccountNames: [agent]}
  declaredTools: ["*"]
  unvalidatedCalls: Allow
  tenant: {from: Context}
  rules: [{name: vip, expression: context.attributes.vip && tenant == "alpha"}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: everything}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: everything, namespace: team}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: everything}
subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: "system:serviceaccounts"}]
`

func TestFlagsOfTheContext(t *testing.T) {
	const agent = "system:serviceaccount:team:agent"
	for name, tc := range map[string]struct {
		args []string
		call string
		code int
		says string
	}{
		"all":                        {[]string{"--as", agent, "--tenant", "alpha", "--context", `{"vip":true}`}, `{"name":"a","arguments":{}}`, ExitOK, `"code": "ok"`},
		"from a file":                {[]string{"--as", agent, "--tenant", "alpha", "--context", "@vip.json"}, `{"name":"a","arguments":{}}`, ExitOK, `"code": "ok"`},
		"for another":                {[]string{"--as", "system:serviceaccount:front:door", "--on-behalf-of", agent, "--tenant", "alpha", "--context", `{"vip":true}`}, `{"name":"a","arguments":{}}`, ExitOK, `"onBehalfOf"`},
		"another tenant":             {[]string{"--as", agent, "--tenant", "beta", "--context", `{"vip":true}`}, `{"name":"a","arguments":{}}`, ExitBlocked, "forbidden:p/vip"},
		"no tenant":                  {[]string{"--as", agent}, `{"name":"a","arguments":{}}`, ExitBlocked, "forbidden:tenant"},
		"for a stranger":             {[]string{"--as", "system:serviceaccount:front:door", "--on-behalf-of", "system:serviceaccount:other:agent"}, `{"name":"a","arguments":{}}`, ExitBlocked, "reviewas"},
		"for nobody":                 {[]string{"--as", agent, "--on-behalf-of", "alice"}, `{"name":"a","arguments":{}}`, ExitUsage, "--on-behalf-of"},
		"no JSON":                    {[]string{"--as", agent, "--context", "vip"}, `{"name":"a","arguments":{}}`, ExitUsage, "--context"},
		"no object":                  {[]string{"--as", agent, "--context", "[1]"}, `{"name":"a","arguments":{}}`, ExitUsage, "attributes"},
		"no file":                    {[]string{"--as", agent, "--context", "@none.json"}, `{"name":"a","arguments":{}}`, ExitUsage, "none.json"},
		"said twice":                 {[]string{"--as", agent, "--tenant", "alpha"}, `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":{"calls":[{"name":"a","arguments":{}}],"context":{}}}`, ExitUsage, "its own context"},
		"an offer":                   {[]string{"--as", agent, "--tenant", "alpha", "--context", `{"vip":true}`}, `["a"]`, ExitOK, `"tool-validation.ok"`},
		"an offer for another":       {[]string{"--as", "system:serviceaccount:front:door", "--on-behalf-of", agent, "--tenant", "alpha", "--context", `{"vip":true}`}, `["a"]`, ExitOK, `"tool-validation.ok"`},
		"an offer of another tenant": {[]string{"--as", agent, "--tenant", "beta", "--context", `{"vip":true}`}, `["a"]`, ExitBlocked, `"tool-validation.invalid"`},
		"an offer for a stranger":    {[]string{"--as", "system:serviceaccount:front:door", "--on-behalf-of", "system:serviceaccount:other:agent"}, `["a"]`, ExitBlocked, "reviewas"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			code := Run(t.Context(), Deps{
				In: strings.NewReader(tc.call), Out: &out, Err: &errOut, Env: func(string) string { return "" },
				FS: fstest.MapFS{"objects.yaml": {Data: []byte(contextObjects)}, "vip.json": {Data: []byte(`{"vip":true}`)}},
			}, append([]string{"review", "-f", "objects.yaml", "-o", "json"}, tc.args...))
			if code != tc.code || !strings.Contains(out.String()+errOut.String(), tc.says) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", code, tc.code, tc.says, &out, &errOut)
			}
			var r reviewv1alpha1.ToolCallReview
			if code == ExitOK && json.Unmarshal(out.Bytes(), &r) != nil {
				t.Errorf("what is printed cannot be read: %s", &out)
			}
			if code == ExitOK && (r.Request.Context == nil || r.Request.Context.Tenant != "alpha") {
				t.Errorf("the context is not in what is printed: %s", &out)
			}
		})
	}
}

// The answers are those of the API server's authorizer to the same objects.
func TestAnswersFromRoles(t *testing.T) {
	rule := func(group, resource, verb string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}, ResourceNames: names}
	}
	role := func(namespace, name string, rules ...rbacv1.PolicyRule) *rbacv1.Role {
		return &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Rules: rules}
	}
	binding := func(namespace, kind, name string, subject rbacv1.Subject) *rbacv1.RoleBinding {
		return &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, RoleRef: rbacv1.RoleRef{Kind: kind, Name: name}, Subjects: []rbacv1.Subject{subject}}
	}
	agent := rbacv1.Subject{Kind: "ServiceAccount", Namespace: "team", Name: "agent"}
	q := review.Access{Namespace: "team", ServiceAccount: "agent", Verb: "call", Group: "callgate.dev", Resource: "toolschemas", In: "team", Name: "weather"}
	call := rule("callgate.dev", "toolschemas", "call", "weather")
	for name, tc := range map[string]struct {
		set  manifest.Set
		want review.AccessAnswer
	}{
		"nothing":                     {manifest.Set{}, review.Refused},
		"a role":                      {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", call)}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", agent)}}, review.Granted},
		"unbound":                     {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", call)}}, review.Refused},
		"every name":                  {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", rule("*", "*", "*"))}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", agent)}}, review.Granted},
		"another name":                {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", rule("callgate.dev", "toolschemas", "call", "mail"))}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", agent)}}, review.Refused},
		"another verb":                {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", rule("callgate.dev", "toolschemas", "get", "weather"))}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", agent)}}, review.Refused},
		"another group":               {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", rule("", "toolschemas", "call", "weather"))}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", agent)}}, review.Refused},
		"parts of two rules":          {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", rule("callgate.dev", "toolschemas", "get", "weather"), rule("callgate.dev", "tools", "call", "weather"))}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", agent)}}, review.Refused},
		"a role of another namespace": {manifest.Set{Roles: []*rbacv1.Role{role("other", "r", call)}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", agent)}}, review.Refused},
		"bound elsewhere":             {manifest.Set{Roles: []*rbacv1.Role{role("other", "r", call)}, RoleBindings: []*rbacv1.RoleBinding{binding("other", "Role", "r", agent)}}, review.Refused},
		"a namesake elsewhere":        {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", call)}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", rbacv1.Subject{Kind: "ServiceAccount", Namespace: "other", Name: "agent"})}}, review.Refused},
		"of the binding's namespace":  {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", call)}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", rbacv1.Subject{Kind: "ServiceAccount", Name: "agent"})}}, review.Granted},
		"its user name":               {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", call)}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", rbacv1.Subject{Kind: "User", Name: "system:serviceaccount:team:agent"})}}, review.Granted},
		"its namespace's group":       {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", call)}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", rbacv1.Subject{Kind: "Group", Name: "system:serviceaccounts:team"})}}, review.Granted},
		"another group of accounts":   {manifest.Set{Roles: []*rbacv1.Role{role("team", "r", call)}, RoleBindings: []*rbacv1.RoleBinding{binding("team", "Role", "r", rbacv1.Subject{Kind: "Group", Name: "system:serviceaccounts:other"})}}, review.Refused},
		"a ClusterRole in one namespace": {manifest.Set{ClusterRoles: []*rbacv1.ClusterRole{{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Rules: []rbacv1.PolicyRule{call}}},
			RoleBindings: []*rbacv1.RoleBinding{binding("team", "ClusterRole", "r", agent)}}, review.Granted},
		"a ClusterRole for all": {manifest.Set{ClusterRoles: []*rbacv1.ClusterRole{{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Rules: []rbacv1.PolicyRule{call}}},
			ClusterRoleBindings: []*rbacv1.ClusterRoleBinding{{RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "r"}, Subjects: []rbacv1.Subject{agent}}}}, review.Granted},
		"an account without namespace, for all": {manifest.Set{ClusterRoles: []*rbacv1.ClusterRole{{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Rules: []rbacv1.PolicyRule{call}}},
			ClusterRoleBindings: []*rbacv1.ClusterRoleBinding{{RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "r"}, Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "agent"}}}}}, review.Refused},
	} {
		if got := fileset.Authorizer(&tc.set).Answers([]review.Access{q})[q]; got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
	if !slices.Equal(groupsOf("team"), []string{"system:serviceaccounts", "system:serviceaccounts:team", "system:authenticated"}) {
		t.Error("the groups are others")
	}
}
