package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/features"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/snapshot"
)

// shelf is a client.Reader over fixed objects.
type shelf struct {
	client.Reader
	schemas []callgatev1alpha1.ToolSchema
	err     error
}

func (s *shelf) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if l, ok := list.(*callgatev1alpha1.ToolSchemaList); ok {
		l.Items = s.schemas
	}
	return s.err
}

func newTestSnapshotReconciler(reader client.Reader) *snapshotReconciler {
	return &snapshotReconciler{
		reader: reader, store: &snapshot.Store{}, clock: clocktesting.NewFakePassiveClock(now), heart: &Heartbeat{},
		compile: compile.Compile, schemas: newWaker("schemas"), policies: newWaker("policies"),
	}
}

func toolSchema(name string, generation int64) callgatev1alpha1.ToolSchema {
	return callgatev1alpha1.ToolSchema{ObjectMeta: metav1.ObjectMeta{
		Namespace: "n", Name: name, UID: types.UID("uid-" + name), Generation: generation,
	}}
}

func TestFirstCompileOfAnEmptyClusterIsASnapshot(t *testing.T) {
	r := newTestSnapshotReconciler(&shelf{})
	if _, err := r.Reconcile(t.Context(), wholeSet()); err != nil {
		t.Fatal(err)
	}
	if r.store.Load() == nil {
		t.Fatal("nothing is in force")
	}
}

func TestTroubleKeepsWhatIsInForce(t *testing.T) {
	cases := map[string]func(*snapshotReconciler, *shelf){
		"a list that fails": func(_ *snapshotReconciler, s *shelf) { s.err = errors.New("boom") },
		"a compile that panics": func(r *snapshotReconciler, _ *shelf) {
			r.compile = func(compile.Input, *compile.Output) *compile.Output { panic("boom") }
		},
		"a compile without output": func(r *snapshotReconciler, _ *shelf) {
			r.compile = func(compile.Input, *compile.Output) *compile.Output { return nil }
		},
	}
	for name, breakIt := range cases {
		t.Run(name, func(t *testing.T) {
			reader := &shelf{schemas: []callgatev1alpha1.ToolSchema{toolSchema("a", 1)}}
			r := newTestSnapshotReconciler(reader)
			if _, err := r.Reconcile(t.Context(), wholeSet()); err != nil {
				t.Fatal(err)
			}
			before := r.store.Load()
			breakIt(r, reader)
			if _, err := r.Reconcile(t.Context(), wholeSet()); err == nil {
				t.Error("no error, so nobody tries again")
			}
			if r.store.Load() != before {
				t.Error("what was in force was replaced")
			}
		})
	}
}

func TestACompileAfterAPanicStartsWithoutMemo(t *testing.T) {
	r := newTestSnapshotReconciler(&shelf{})
	var memos []bool
	panics := false
	r.compile = func(in compile.Input, memo *compile.Output) *compile.Output {
		memos = append(memos, memo != nil)
		if panics {
			panic("boom")
		}
		return compile.Compile(in, memo)
	}
	for _, panics = range []bool{false, false, true, false, false} {
		_, _ = r.Reconcile(t.Context(), wholeSet())
	}
	want := []bool{false, true, true, false, true}
	for i := range want {
		if memos[i] != want[i] {
			t.Fatalf("compiles had a memo: %v, want %v", memos, want)
		}
	}
}

func TestSwapWakesWhatChanged(t *testing.T) {
	reader := &shelf{schemas: []callgatev1alpha1.ToolSchema{toolSchema("a", 1), toolSchema("b", 1)}}
	r := newTestSnapshotReconciler(reader)
	var swaps []Swap
	r.onSwap = func(s Swap) { swaps = append(swaps, s) }
	for _, schemas := range [][]callgatev1alpha1.ToolSchema{
		{toolSchema("a", 1), toolSchema("b", 1)},
		{toolSchema("a", 1), toolSchema("b", 2)},
		{toolSchema("a", 1), toolSchema("b", 2)},
		{toolSchema("b", 2)},
	} {
		reader.schemas = schemas
		clear(r.schemas.early)
		if _, err := r.Reconcile(t.Context(), wholeSet()); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{2, 1, 0, 0} {
		if swaps[i].Changed != want {
			t.Errorf("swap %d woke %d, want %d", i, swaps[i].Changed, want)
		}
	}
	if swaps[0].Previous != nil || swaps[1].Previous != swaps[0].Snapshot {
		t.Error("swaps are not chained")
	}
}

func TestHeartbeatsGoThroughTheWorker(t *testing.T) {
	r := newTestSnapshotReconciler(&shelf{err: errors.New("boom")})
	if !r.heart.Last().IsZero() {
		t.Error("it beats before it lives")
	}
	result, err := r.Reconcile(t.Context(), heartbeat())
	if err != nil || result.RequeueAfter <= 0 || result.RequeueAfter >= time.Minute {
		t.Errorf("Reconcile() = %v, %v", result, err)
	}
	if !r.heart.Last().Equal(now) {
		t.Errorf("last beat %s, want %s", r.heart.Last(), now)
	}
	if r.store.Load() != nil {
		t.Error("a heartbeat compiled something")
	}
}

func TestTheWorkerRestsAsLongAsItWorked(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{40 * time.Millisecond: 40 * time.Millisecond, time.Minute: maxRest} {
		r := newTestSnapshotReconciler(&shelf{})
		clk := clocktesting.NewFakePassiveClock(now)
		r.clock = clk
		compiles := 0
		r.compile = func(in compile.Input, memo *compile.Output) *compile.Output {
			compiles++
			clk.SetTime(clk.Now().Add(took))
			return compile.Compile(in, memo)
		}
		for range 2 {
			if _, err := r.Reconcile(t.Context(), wholeSet()); err != nil {
				t.Fatal(err)
			}
		}
		if compiles != 1 {
			t.Errorf("%d compiles without a rest", compiles)
		}
		result, _ := r.Reconcile(t.Context(), wholeSet())
		if result.RequeueAfter != want {
			t.Errorf("after %s of work a rest of %s, want %s", took, result.RequeueAfter, want)
		}
		clk.SetTime(clk.Now().Add(want))
		if _, err := r.Reconcile(t.Context(), wholeSet()); err != nil || compiles != 2 {
			t.Errorf("%d compiles after the rest (%v)", compiles, err)
		}
	}
}

func TestPanicTellsWhere(t *testing.T) {
	r := newTestSnapshotReconciler(&shelf{})
	r.compile = func(compile.Input, *compile.Output) *compile.Output { panic("boom") }
	_, err := r.Reconcile(t.Context(), wholeSet())
	if err == nil || !strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "snapshot_controller_test.go") {
		t.Errorf("Reconcile() = %v, want the panic and its stack", err)
	}
}

func TestDecides(t *testing.T) {
	cases := map[string]struct {
		change func(*callgatev1alpha1.ToolSchema)
		want   bool
	}{
		"nothing":     {func(*callgatev1alpha1.ToolSchema) {}, false},
		"status":      {func(s *callgatev1alpha1.ToolSchema) { s.Status.Dialect, s.ResourceVersion = "Draft7", "2" }, false},
		"annotations": {func(s *callgatev1alpha1.ToolSchema) { s.Annotations = map[string]string{"a": "b"} }, false},
		"lost nulls": {func(s *callgatev1alpha1.ToolSchema) {
			s.Annotations = map[string]string{compile.LostInApplyAnnotation: "[]"}
		}, true},
		"labels":     {func(s *callgatev1alpha1.ToolSchema) { s.Labels = map[string]string{"a": "b"} }, true},
		"generation": {func(s *callgatev1alpha1.ToolSchema) { s.Generation++ }, true},
		"identity":   {func(s *callgatev1alpha1.ToolSchema) { s.UID = "other" }, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := toolSchema("a", 1)
			after := toolSchema("a", 1)
			tc.change(&after)
			if got := decides(&before, &after); got != tc.want {
				t.Errorf("decides() = %t, want %t", got, tc.want)
			}
		})
	}
}

func TestPaceKnowsWhatTheCacheHasYetToSee(t *testing.T) {
	p, key := newPace(), types.NamespacedName{Name: "a"}
	if p.behind(key, "1") {
		t.Error("behind a write that never was")
	}
	p.begin(key, now)
	p.wrote(key, new("10"))
	for version, want := range map[string]bool{"9": true, "10": false, "11": false, "100": false} {
		if got := p.behind(key, version); got != want {
			t.Errorf("behind(%s) = %t, want %t", version, got, want)
		}
	}
	p.forget(key)
	if p.behind(key, "9") || p.wait(key, now, time.Hour) != 0 {
		t.Error("a deleted object is remembered")
	}
}

// An informer that does not stream its first list takes one from a cache of unknown
// age.
func TestListsAreStreamed(t *testing.T) {
	if !features.FeatureGates().Enabled(features.WatchListClient) {
		t.Error("WatchListClient is off")
	}
}

func BenchmarkSwapOfTenThousand(b *testing.B) {
	reader := &shelf{schemas: make([]callgatev1alpha1.ToolSchema, 10_000)}
	for i := range reader.schemas {
		s := toolSchema(fmt.Sprintf("s-%05d", i), 1)
		s.Spec.Parameters = &apiextensionsv1.JSON{Raw: []byte(`{"type":"object","properties":{"city":{"type":"string"}}}`)}
		reader.schemas[i] = s
	}
	r := newTestSnapshotReconciler(reader)
	for b.Loop() {
		reader.schemas[5000].Generation++
		if _, err := r.Reconcile(b.Context(), wholeSet()); err != nil {
			b.Fatal(err)
		}
	}
}
