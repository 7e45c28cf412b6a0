package rbac_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/rbac"
	"github.com/callgate/callgate/internal/review"
)

// question is what the tests ask: may agent of the namespace a call the tool t?
var question = review.Access{
	Namespace: "a", ServiceAccount: "agent", Verb: "call", Group: "callgate.dev", Resource: "toolschemas", In: "a", Name: "t",
}

// load reads objects as the command line does, so that the tests hold to what can be
// in a file at all.
func load(t *testing.T, text string) *rbac.Authorizer {
	t.Helper()
	files := fstest.MapFS{"objects.yaml": &fstest.MapFile{Data: []byte(text)}}
	set, problems := manifest.Load(t.Context(), manifest.Options{FS: files, DefaultNamespace: "a"}, manifest.Source{Path: "objects.yaml"})
	for _, p := range problems {
		t.Fatalf("reading the objects: %v", p)
	}
	return rbac.New(rbac.Objects{
		Roles: set.Roles, ClusterRoles: set.ClusterRoles, RoleBindings: set.RoleBindings, ClusterRoleBindings: set.ClusterRoleBindings,
	})
}

// role has one rule for everything that the question asks, but for what is replaced.
func role(kind, name, rule string) string {
	return "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: " + kind + "\nmetadata: {name: " + name + "}\nrules: [" + rule + "]\n"
}

func binding(kind, refKind, ref, subject string) string {
	return "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: " + kind + "\nmetadata: {name: b}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: " + refKind + ", name: " + ref + "}\nsubjects: [" + subject + "]\n"
}

const (
	call  = `{apiGroups: [callgate.dev], resources: [toolschemas], verbs: [call]}`
	agent = `{kind: ServiceAccount, name: agent, namespace: a}`
)

func TestRules(t *testing.T) {
	cases := map[string]struct {
		rule string
		want bool
	}{
		"no rule":                 {``, false},
		"the very thing":          {call, true},
		"by name":                 {`{apiGroups: [callgate.dev], resources: [toolschemas], verbs: [call], resourceNames: [s, t]}`, true},
		"by another name":         {`{apiGroups: [callgate.dev], resources: [toolschemas], verbs: [call], resourceNames: [s]}`, false},
		"a star is no name":       {`{apiGroups: [callgate.dev], resources: [toolschemas], verbs: [call], resourceNames: ["*"]}`, false},
		"every verb":              {`{apiGroups: [callgate.dev], resources: [toolschemas], verbs: ["*"]}`, true},
		"another verb":            {`{apiGroups: [callgate.dev], resources: [toolschemas], verbs: [get]}`, false},
		"every group":             {`{apiGroups: ["*"], resources: [toolschemas], verbs: [call]}`, true},
		"the core group":          {`{apiGroups: [""], resources: [toolschemas], verbs: [call]}`, false},
		"every resource":          {`{apiGroups: [callgate.dev], resources: ["*"], verbs: [call]}`, true},
		"a subresource":           {`{apiGroups: [callgate.dev], resources: [toolschemas/status], verbs: [call]}`, false},
		"every subresource":       {`{apiGroups: [callgate.dev], resources: ["*/status"], verbs: [call]}`, false},
		"parts of two rules":      {`{apiGroups: [callgate.dev], resources: [toolschemas], verbs: [get]}, {apiGroups: [callgate.dev], resources: [toolpolicies], verbs: [call]}`, false},
		"the second of two rules": {`{apiGroups: [callgate.dev], resources: [toolschemas], verbs: [get]}, ` + call, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := load(t, role("Role", "r", tc.rule)+binding("RoleBinding", "Role", "r", agent))
			if _, got := a.Grants(question); got != tc.want {
				t.Errorf("granted = %v, want %v", got, tc.want)
			}
		})
	}
	t.Run("URLs are no resources", func(t *testing.T) {
		a := load(t, role("ClusterRole", "r", `{nonResourceURLs: ["*"], verbs: ["*"]}`)+binding("ClusterRoleBinding", "ClusterRole", "r", agent))
		if _, got := a.Grants(question); got {
			t.Error("granted by a rule about URLs")
		}
	})
}

func TestSubjects(t *testing.T) {
	cases := map[string]struct {
		subject           string
		inRole, inCluster bool
	}{
		"the account":            {agent, true, true},
		"without its namespace":  {`{kind: ServiceAccount, name: agent}`, true, false},
		"another account":        {`{kind: ServiceAccount, name: other, namespace: a}`, false, false},
		"of another namespace":   {`{kind: ServiceAccount, name: agent, namespace: b}`, false, false},
		"by its user name":       {`{kind: User, name: "system:serviceaccount:a:agent"}`, true, true},
		"a user with its name":   {`{kind: User, name: agent}`, false, false},
		"its namespace's group":  {`{kind: Group, name: "system:serviceaccounts:a"}`, true, true},
		"another's group":        {`{kind: Group, name: "system:serviceaccounts:b"}`, false, false},
		"all ServiceAccounts":    {`{kind: Group, name: "system:serviceaccounts"}`, true, true},
		"all authenticated":      {`{kind: Group, name: "system:authenticated"}`, true, true},
		"all unauthenticated":    {`{kind: Group, name: "system:unauthenticated"}`, false, false},
		"a group with its name":  {`{kind: Group, name: "system:serviceaccount:a:agent"}`, false, false},
		"a star is no user":      {`{kind: User, name: "*"}`, false, false},
		"nobody":                 {``, false, false},
		"the second of two":      {`{kind: User, name: x}, ` + agent, true, true},
		"named in another's way": {`{kind: User, name: "system:serviceaccounts:a"}`, false, false},
	}
	for name, tc := range cases {
		for kind, want := range map[string]bool{"RoleBinding": tc.inRole, "ClusterRoleBinding": tc.inCluster} {
			t.Run(name+" in a "+kind, func(t *testing.T) {
				if kind == "ClusterRoleBinding" && name == "without its namespace" {
					t.Skip("refused by the API server, and so by files")
				}
				a := load(t, role("ClusterRole", "r", call)+binding(kind, "ClusterRole", "r", tc.subject))
				if _, got := a.Grants(question); got != want {
					t.Errorf("granted = %v, want %v", got, want)
				}
			})
		}
	}
}

func TestBindings(t *testing.T) {
	elsewhere := "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b, namespace: b}\n" +
		"roleRef: {kind: ClusterRole, name: r}\nsubjects: [" + agent + "]\n"
	cases := map[string]struct {
		objects, by string
	}{
		"nothing":                            {"", ""},
		"a role that nobody has":             {role("Role", "r", call), ""},
		"no such role":                       {binding("RoleBinding", "Role", "r", agent), ""},
		"no such ClusterRole":                {role("Role", "r", call) + binding("ClusterRoleBinding", "ClusterRole", "r", agent), ""},
		"a Role is no ClusterRole":           {role("Role", "r", call) + binding("RoleBinding", "ClusterRole", "r", agent), ""},
		"a ClusterRole is no Role":           {role("ClusterRole", "r", call) + binding("RoleBinding", "Role", "r", agent), ""},
		"a binding of another namespace":     {role("ClusterRole", "r", call) + elsewhere, ""},
		"a Role in its namespace":            {role("Role", "r", call) + binding("RoleBinding", "Role", "r", agent), "RoleBinding a/b"},
		"a ClusterRole in its namespace":     {role("ClusterRole", "r", call) + binding("RoleBinding", "ClusterRole", "r", agent), "RoleBinding a/b"},
		"a ClusterRole everywhere":           {role("ClusterRole", "r", call) + binding("ClusterRoleBinding", "ClusterRole", "r", agent), "ClusterRoleBinding b"},
		"of two, the one for the cluster":    {role("ClusterRole", "r", call) + binding("ClusterRoleBinding", "ClusterRole", "r", agent) + binding("RoleBinding", "ClusterRole", "r", agent), "ClusterRoleBinding b"},
		"one that covers behind one that is": {role("ClusterRole", "r", call) + role("ClusterRole", "none", "") + binding("ClusterRoleBinding", "ClusterRole", "none", agent) + binding("RoleBinding", "ClusterRole", "r", agent), "RoleBinding a/b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			by, got := load(t, tc.objects).Grants(question)
			if by != tc.by || got != (tc.by != "") {
				t.Errorf("granted = %v by %q, want by %q", got, by, tc.by)
			}
		})
	}
}

func aggregating(name, labels, selectors, rules string) string {
	return "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n" +
		"aggregationRule: {clusterRoleSelectors: [" + selectors + "]}\nrules: [" + rules + "]\n"
}

func labelled(name, labels, rules string) string {
	return "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: " + name + ", labels: {" + labels + "}}\nrules: [" + rules + "]\n"
}

func TestAggregation(t *testing.T) {
	bound := binding("ClusterRoleBinding", "ClusterRole", "all", agent)
	cases := map[string]struct {
		objects     string
		want        bool
		overwritten []string
	}{
		"a role that is selected": {aggregating("all", "", `{matchLabels: {to: all}}`, "") + labelled("one", "to: all", call), true, nil},
		"a role that is not":      {aggregating("all", "", `{matchLabels: {to: all}}`, "") + labelled("one", "to: none", call), false, nil},
		"by expressions":          {aggregating("all", "", `{matchExpressions: [{key: to, operator: In, values: [x, all]}]}`, "") + labelled("one", "to: all", call), true, nil},
		"any of the selectors":    {aggregating("all", "", `{matchLabels: {to: x}}, {matchLabels: {to: all}}`, "") + labelled("one", "to: all", call), true, nil},
		"all of a selector":       {aggregating("all", "", `{matchLabels: {to: all, and: x}}`, "") + labelled("one", "to: all", call), false, nil},
		"an empty selector":       {aggregating("all", "", `{}`, "") + labelled("one", "", call), true, nil},
		"its own rules are taken away": {
			aggregating("all", "", `{matchLabels: {to: all}}`, call), false, []string{"all"},
		},
		"its own rules that others have too": {
			aggregating("all", "", `{matchLabels: {to: all}}`, call) + labelled("one", "to: all", call), true, nil,
		},
		"it does not select itself": {aggregating("all", "to: all", `{matchLabels: {to: all}}`, call), false, []string{"all"}},
		"through another": {
			aggregating("all", "", `{matchLabels: {to: all}}`, "") + aggregating("some", "to: all", `{matchLabels: {to: some}}`, "") + labelled("one", "to: some", call), true, nil,
		},
		"the own rules of another are taken away first": {
			aggregating("all", "", `{matchLabels: {to: all}}`, "") + aggregating("some", "to: all", `{matchLabels: {to: some}}`, call), false, []string{"some"},
		},
		"a circle": {
			aggregating("all", "in: circle", `{matchLabels: {in: circle}}`, "") + aggregating("some", "in: circle", `{matchLabels: {in: circle}}`, "") + labelled("one", "in: circle", call), true, nil,
		},
		"a circle of nothing": {
			aggregating("all", "in: circle", `{matchLabels: {in: circle}}`, call) + aggregating("some", "in: circle", `{matchLabels: {in: circle}}`, call), false, []string{"all", "some"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := load(t, tc.objects+bound)
			if _, got := a.Grants(question); got != tc.want {
				t.Errorf("granted = %v, want %v", got, tc.want)
			}
			if got := a.Overwritten(); !slices.Equal(got, tc.overwritten) {
				t.Errorf("overwritten = %q, want %q", got, tc.overwritten)
			}
		})
	}
}

// No API server takes such a selector, but whoever makes objects in Go can.
func TestABrokenSelectorSelectsNothing(t *testing.T) {
	rule := []rbacv1.PolicyRule{{APIGroups: []string{"callgate.dev"}, Resources: []string{"toolschemas"}, Verbs: []string{"call"}}}
	a := rbac.New(rbac.Objects{
		ClusterRoles: []*rbacv1.ClusterRole{
			{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Rules: rule},
			{ObjectMeta: metav1.ObjectMeta{Name: "all"}, AggregationRule: &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{
				{}, {MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "to", Operator: "Like"}}},
			}}},
		},
		ClusterRoleBindings: []*rbacv1.ClusterRoleBinding{{
			RoleRef:  rbacv1.RoleRef{Kind: "ClusterRole", Name: "all"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "a", Name: "agent"}},
		}},
	})
	if by, got := a.Grants(question); got {
		t.Errorf("granted by %q", by)
	}
}

func TestWithoutAnythingEverythingIsRefused(t *testing.T) {
	for name, a := range map[string]*rbac.Authorizer{"zero": {}, "empty": rbac.New(rbac.Objects{})} {
		t.Run(name, func(t *testing.T) {
			answers, all := a.Known([]review.Access{question})
			if diff := cmp.Diff(review.Answers{question: review.Refused}, answers); diff != "" || !all {
				t.Errorf("all = %v, answers (-want +got):\n%s", all, diff)
			}
			if by, got := a.Allows(rbac.Request{}); got {
				t.Errorf("the empty request is allowed by %q", by)
			}
		})
	}
}

func TestEveryQuestionHasItsOwnAnswer(t *testing.T) {
	a := load(t, role("Role", "r", `{apiGroups: [callgate.dev], resources: [toolschemas], verbs: [call], resourceNames: [t]}`)+binding("RoleBinding", "Role", "r", agent))
	other, elsewhere := question, question
	other.Name, elsewhere.In = "u", "b"
	want := review.Answers{question: review.Granted, other: review.Refused, elsewhere: review.Refused}
	if diff := cmp.Diff(want, a.Ask(t.Context(), []review.Access{question, other, elsewhere})); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}
