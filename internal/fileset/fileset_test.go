package fileset_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
)

func load(t *testing.T, text string) *manifest.Set {
	t.Helper()
	files := fstest.MapFS{"o.yaml": &fstest.MapFile{Data: []byte(text)}}
	set, problems := manifest.Load(t.Context(), manifest.Options{FS: files, DefaultNamespace: "a"}, manifest.Source{Path: "o.yaml"})
	for _, p := range problems {
		t.Fatalf("reading the objects: %v", p)
	}
	return set
}

const objects = `apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: bad}
spec:
  parameters: {type: object, properties: {x: {type: nonsense}}}
---
apiVersion: callgate.dev/v1alpha1
kind: ToolSchema
metadata: {name: get-ticket}
spec:
  toolName: get_ticket
  parameters: {type: object, properties: {ticket_id: {type: string}}}
  result: {fields: [/status]}
---
apiVersion: callgate.dev/v1alpha1
kind: ToolPolicy
metadata: {name: p}
spec:
  subjects: {serviceAccountNames: ["*"]}
  declaredTools: ["*"]
  rules:
  - {name: broken, expression: "args.("}
---
apiVersion: callgate.dev/v1alpha1
kind: ToolAdapter
metadata: {name: get-ticket}
spec:
  toolName: get_ticket
  key: "tenant + ':' + args.ticket_id"
  records: {configMapKeyRef: {name: tickets, key: tickets.json}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tickets}
data: {tickets.json: '{}'}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: all}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {to: all}}]}
rules: [{apiGroups: [callgate.dev], resources: [toolschemas], verbs: [call]}]
`

// Each object's fault is told where it stands, warnings as such.
func TestProblems(t *testing.T) {
	set := load(t, objects)
	out := fileset.Compile(set, &adapter.Compiler{}, nil)
	var got []string
	for _, p := range fileset.Problems(set, out) {
		place, _, _ := strings.Cut(p.String(), ": ")
		got = append(got, place+" "+p.Object+" "+p.Path+map[bool]string{true: " (warning)"}[p.Warning])
	}
	want := []string{
		"o.yaml:5:47 ToolSchema a/bad /properties/x/type",
		"o.yaml:22:20 ToolPolicy a/p /spec/rules/0/expression",
		"o.yaml:30:31 ToolAdapter a/get-ticket /spec/records/configMapKeyRef/name",
		"o.yaml:41:1 ClusterRole all /rules (warning)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestRecords(t *testing.T) {
	records := fileset.RecordsOf(load(t, objects))
	cm, found, err := records.ConfigMap(t.Context(), "a", "tickets")
	if diff := cmp.Diff(adapter.ConfigMap{Data: map[string]string{"tickets.json": "{}"}}, cm); diff != "" || !found || err != nil {
		t.Errorf("found %v, error %v, ConfigMap (-want +got):\n%s", found, err, diff)
	}
	if _, found, _ := records.ConfigMap(t.Context(), "b", "tickets"); found {
		t.Error("found in another namespace")
	}
}

// The revision is the same whether or not something is taken over from the set before.
func TestCompilingAgainTakesOver(t *testing.T) {
	set := load(t, objects)
	compiler := &adapter.Compiler{}
	first := fileset.Compile(set, compiler, nil)
	again := fileset.Compile(set, compiler, first)
	if again.Revision != first.Revision || again.Compiled != 0 {
		t.Errorf("revision %s and then %s, compiled %d schemas again", first.Revision, again.Revision, again.Compiled)
	}
}
