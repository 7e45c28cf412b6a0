package cases_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strconv"
	"testing"
	"testing/fstest"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/adapter"
	"github.com/callgate/callgate/internal/cli"
	"github.com/callgate/callgate/internal/compile"
	files "github.com/callgate/callgate/internal/manifest"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/snapshot"
	"github.com/callgate/callgate/internal/toolcall"
	"github.com/callgate/callgate/test/cases"
)

// seedExecutions is how many of the fixtures are the third seed's own table.
const seedExecutions = 8

func executions(t *testing.T) []cases.Execution {
	t.Helper()
	table, err := os.ReadFile("../../" + cases.ExecutionFixtures)
	if err != nil {
		t.Fatal(err)
	}
	all, err := cases.ReadExecutions(table)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < seedExecutions {
		t.Fatalf("%d executions, want at least %d: the table shrank", len(all), seedExecutions)
	}
	return all
}

func sample(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../" + cases.ExecutionObjects)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// records are the sample's, in memory.
type records struct{ set *files.Set }

func (r records) ConfigMap(_ context.Context, namespace, name string) (adapter.ConfigMap, bool, error) {
	for _, cm := range r.set.ConfigMaps {
		if cm.Namespace == namespace && cm.Name == name {
			return adapter.ConfigMap{Labels: cm.Labels, Data: cm.Data}, true, nil
		}
	}
	return adapter.ConfigMap{}, false, nil
}

// The engine alone. The application may speak for alpha and beta, as the sample's Role
// has it.
func TestExecutionsInTheEngine(t *testing.T) {
	set, problems := files.Load(t.Context(), files.Options{FS: fstest.MapFS{"o.yaml": &fstest.MapFile{Data: sample(t)}}}, files.Source{Path: "o.yaml"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	out := compile.Compile(compile.Input{Schemas: set.Schemas, Policies: set.Policies, Adapters: set.Adapters, AdapterCompiler: &adapter.Compiler{}}, nil)
	settings := adapter.DefaultSettings()
	settings.ConfigMaps = records{set}
	executor, err := adapter.NewExecutor(settings)
	if err != nil {
		t.Fatal(err)
	}
	defer executor.Close()
	caller := review.Caller{Kind: review.ServiceAccount, Namespace: cases.ExecutionNamespace, Name: cases.ExecutionAccount}
	before := set.ConfigMaps[0].DeepCopy()
	for i, x := range executions(t) {
		t.Run(x.About, func(t *testing.T) {
			in, err := toolcall.DecodeExecution(x.Body(strconv.Itoa(i)))
			if err != nil {
				t.Fatal(err)
			}
			answers := review.Answers{}
			for _, q := range review.Needs(snapshot.New(out), caller, &in) {
				answers[q] = review.Refused
				if q.Verb == "use" && (q.Name == "alpha" || q.Name == "beta") {
					answers[q] = review.Granted
				}
			}
			judged := review.Executions(snapshot.New(out), caller, in, answers)
			var outcome review.Outcome
			if judged.Run != nil {
				outcome = adapter.Port{Executor: executor}.Execute(t.Context(), judged.Run)
			}
			got := judged.Executed(in, outcome)
			if diff := x.Check(&got); diff != "" {
				t.Error(diff)
			}
			cheap, ok := review.CheapExecution(snapshot.New(out), caller, in, answers)
			if ok && (cheap.Run == nil) != (judged.Run == nil) {
				t.Error("what may run depends on what judging costs")
			}
		})
	}
	if before.Data["tickets.json"] != set.ConfigMaps[0].Data["tickets.json"] {
		t.Error("the records were changed")
	}
}

// The command line: the sample from a file, the execution on standard input.
func TestExecutionsOnTheCommandLine(t *testing.T) {
	for i, x := range executions(t) {
		t.Run(x.About, func(t *testing.T) {
			var out, errOut bytes.Buffer
			code := cli.Run(t.Context(), cli.Deps{
				In: bytes.NewReader(x.Body(strconv.Itoa(i))), Out: &out, Err: &errOut,
				FS:  fstest.MapFS{"work/objects.yaml": &fstest.MapFile{Data: sample(t)}},
				Dir: "work", Env: os.Getenv,
			}, []string{"review", "-f", "objects.yaml", "--as", "system:serviceaccount:" + cases.ExecutionNamespace + ":" + cases.ExecutionAccount, "-o", "json", "-"})
			var got reviewv1alpha1.ToolCallExecution
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("exit code %d, no execution printed: %v\n%s%s", code, err, &out, &errOut)
			}
			if diff := x.Check(got.Response); diff != "" {
				t.Error(diff)
			}
			want := cli.ExitBlocked
			if x.Expected.OK {
				want = cli.ExitOK
			}
			if code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			for _, secret := range []string{"internal_notes", "reported by a lead", "refund pending", "C-1", "C-2"} {
				if bytes.Contains(out.Bytes(), []byte(secret)) || bytes.Contains(errOut.Bytes(), []byte(secret)) {
					t.Errorf("%q left", secret)
				}
			}
		})
	}
}
