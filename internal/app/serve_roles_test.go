package app

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/webhooks"
)

const rolesFile = `apiVersion: v1
kind: Namespace
metadata: {name: support, labels: {tenant: acme}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: tools, labels: {to: callers}}
rules: [{apiGroups: [callgate.dev], resources: [toolschemas], resourceNames: [get-ticket], verbs: [call]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: callers}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {to: callers}}]}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: callers, namespace: support}
roleRef: {kind: ClusterRole, name: callers}
subjects: [{kind: Group, name: "system:serviceaccounts:support"}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: tenants, namespace: support}
rules:
- {apiGroups: [callgate.dev], resources: [tenants], resourceNames: [alpha], verbs: [use]}
- {apiGroups: [""], resources: [serviceaccounts], resourceNames: [assistant], verbs: [reviewas]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: tenants, namespace: support}
roleRef: {kind: Role, name: tenants}
subjects: [{kind: ServiceAccount, name: assistant}, {kind: ServiceAccount, name: proxy, namespace: front}]
`

// What a cluster would ask RBAC is answered by the roles of the files.
func TestServeByRoles(t *testing.T) {
	policies := policy("get_ticket, get_more") + "  authorization: {mode: RBAC}\n  tenant: {from: Context}\n" + ticketSchema +
		strings.NewReplacer("get-ticket", "get-more", "get_ticket", "get_more").Replace(ticketSchema)
	e := serveDir(t, map[string]string{"policies/a.yaml": policies, "policies/roles.yaml": rolesFile},
		func(dir string, o *ServeOptions) { o.IssueTokens = append(o.IssueTokens, "front/proxy="+dir+"/proxy") })
	calls := func(tool, more string) string {
		return `{"calls":[{"name":"` + tool + `","arguments":{"ticket_id":"T-1"}}]` + more + `}`
	}
	alpha := `,"context":{"tenant":"alpha"}`
	for name, tc := range map[string]struct{ request, want string }{
		"a tool and a tenant that are granted": {calls("get_ticket", alpha), `"code":"ok"`},
		"another tool":                         {calls("get_more", alpha), `"errors":["forbidden:rbac"]`},
		"another tenant":                       {calls("get_ticket", `,"context":{"tenant":"beta"}`), `"errors":["forbidden:tenant"]`},
		"no tenant":                            {calls("get_ticket", ""), `"errors":["forbidden:tenant"]`},
	} {
		if answer := e.ask("ToolCallReview", tc.request); !strings.Contains(answer, tc.want) {
			t.Errorf("%s: answered %s, want %s", name, answer, tc.want)
		}
	}
	for tenant, want := range map[string]string{"alpha": `"allowed":true`, "beta": `"allowed":false`} {
		if answer := e.ask("ToolRequestReview", `{"tools":["get_ticket"],"context":{"tenant":"`+tenant+`"}}`); !strings.Contains(answer, want) {
			t.Errorf("an offer for %s: answered %s", tenant, answer)
		}
	}
	e.rename("proxy", "token")
	for name, tc := range map[string]struct {
		request string
		status  int
		want    string
	}{
		"on behalf of one that is granted": {calls("get_ticket", alpha+`,"onBehalfOf":{"namespace":"support","serviceAccountName":"assistant"}`), 200, `"code":"ok"`},
		"on behalf of another":             {calls("get_ticket", `,"onBehalfOf":{"namespace":"support","serviceAccountName":"other"}`), 403, "reviewas"},
		"for itself":                       {calls("get_ticket", ""), 200, `"code":"no_policy"`},
	} {
		body := `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":` + tc.request + `}`
		if status, answer := e.post(e.token(), "toolcallreviews", body); status != tc.status || !strings.Contains(answer, tc.want) {
			t.Errorf("%s: answered %d: %s", name, status, answer)
		}
	}
}

// A call that neither of two versions of the files allows is never allowed while one takes
// the other's place: the first has the tool and no role, the second the role and no tool.
func TestServeSwapsPoliciesAndRolesTogether(t *testing.T) {
	first := policy("get_ticket") + "  authorization: {mode: RBAC}\n" + ticketSchema
	second := policy("other") + "  authorization: {mode: RBAC}\n" + ticketSchema + "---\n" + rolesFile
	e := serveDir(t, map[string]string{"policies/a.yaml": first})
	stop := make(chan struct{})
	var askers sync.WaitGroup
	seen := make([]map[string]int, 4)
	for i := range seen {
		seen[i] = map[string]int{}
		askers.Go(func() {
			token := e.token()
			for {
				select {
				case <-stop:
					return
				default:
				}
				_, answer, err := e.try(token, "toolcallreviews", `{"apiVersion":"review.callgate.dev/v1alpha1","kind":"ToolCallReview","request":{"calls":[{"name":"get_ticket","arguments":{"ticket_id":"T-1"}}]}}`)
				if err != nil {
					answer = `"code":"` + err.Error() + `"`
				}
				seen[i][codeOf(answer)]++
			}
		})
	}
	for range 8 {
		for _, version := range []struct{ text, code string }{{second, "unknown_tool"}, {first, "forbidden"}} {
			e.write("policies/.next", version.text)
			e.rename("policies/.next", "policies/a.yaml")
			e.eventually("judged by the next version", func() bool {
				return codeOf(e.ask("ToolCallReview", `{"calls":[{"name":"get_ticket","arguments":{"ticket_id":"T-1"}}]}`)) == version.code
			})
		}
	}
	close(stop)
	askers.Wait()
	for _, codes := range seen {
		if len(codes) != 2 || codes["unknown_tool"] == 0 || codes["forbidden"] == 0 {
			t.Errorf("answered %v, want unknown_tool and forbidden alone", codes)
		}
	}
}

// The roles are those of the very set that judges, and a set that is long gone has none.
func TestRolesBelongToTheirSet(t *testing.T) {
	dir := t.TempDir()
	loader, err := manifest.NewLoader()
	if err != nil {
		t.Fatal(err)
	}
	p := &policyFiles{
		sources: []manifest.Source{{Path: "a.yaml"}}, namespace: "support", loader: loader, compiler: &adapter.Compiler{},
		references: &references{}, store: &snapshot.Store{}, log: logr.Discard(), now: time.Now,
	}
	load := func(text string) *snapshot.Snapshot {
		if err := os.WriteFile(dir+"/a.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		use, err := p.read(t.Context(), os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		use()
		return p.store.Load()
	}
	q := review.Access{Namespace: "support", ServiceAccount: "assistant", Verb: "call", Group: "callgate.dev", Resource: "toolschemas", In: "support", Name: "get-ticket"}
	granted := func(a webhooks.Authorizer) bool {
		answers, all := a.Known([]review.Access{q})
		if asked := a.Ask(t.Context(), []review.Access{q}); asked[q] != answers[q] || !all {
			t.Errorf("known %v (all: %v), asked %v", answers, all, asked)
		}
		return answers[q] == review.Granted
	}
	if granted(roles{p}.For(nil)) {
		t.Error("granted before there is a set")
	}
	without := load(policy("first"))
	with := load(policy("first") + "---\n" + rolesFile)
	for _, tc := range []struct {
		about string
		of    webhooks.Authorizer
		want  bool
	}{
		{"the set before", roles{p}.For(without), false}, {"the set in force", roles{p}.For(with), true},
		{"a set of nobody", roles{p}.For(snapshot.New(with.Output)), false}, {"no set", roles{p}, false},
	} {
		if got := granted(tc.of); got != tc.want {
			t.Errorf("%s: granted = %v", tc.about, got)
		}
	}
	if again := load(policy("first") + "---\n" + rolesFile + "# nothing else\n"); again != with {
		t.Error("files that hold the same are another set")
	}
	for i := range maxBound {
		load(policy(fmt.Sprintf("t%d", i)))
		if last := i == maxBound-1; granted(roles{p}.For(with)) == last {
			t.Errorf("%d sets later: granted = %v", i+1, !last)
		}
	}
}
