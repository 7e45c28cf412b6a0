package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/callgate/callgate/internal/adapter"
)

func recordMap(name string, bytes int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "n", Labels: map[string]string{adapter.RecordsLabel: "true", "other": "x"}},
		Data:       map[string]string{"k": strings.Repeat("x", bytes)},
	}
}

// following is a Records that follows n, without an API server.
func following(t *testing.T) (*Records, *followed) {
	t.Helper()
	r := newRecords(nil)
	r.follow(map[string]struct{}{"n": {}})
	return r, r.namespaces["n"]
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecordsAreThoseOfFollowedNamespaces(t *testing.T) {
	r, f := following(t)
	if _, _, err := r.look("other", "a"); !errors.Is(err, errNotFollowed) {
		t.Errorf("another namespace: %v", err)
	}
	if _, _, err := r.look("n", "a"); !errors.Is(err, errNotRead) {
		t.Errorf("before the first look: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.ConfigMap(ended, "n", "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for the first look: %v", err)
	}
	told := 0
	r.wake(func(namespace string) {
		if namespace == "n" {
			told++
		}
	})
	must(t, f.Replace([]any{recordMap("a", 3)}, "1"))
	cm, found, err := r.ConfigMap(t.Context(), "n", "a")
	if err != nil || !found || cm.Data["k"] != "xxx" || cm.Labels[adapter.RecordsLabel] != "true" || len(cm.Labels) != 1 {
		t.Errorf("%+v, %v, %v", cm, found, err)
	}
	must(t, f.Update(recordMap("a", 5)))
	must(t, f.Add(recordMap("b", 1)))
	if cm, _, _ := r.look("n", "a"); cm.Data["k"] != "xxxxx" {
		t.Errorf("an update gave %+v", cm)
	}
	must(t, f.Delete(recordMap("a", 5)))
	if _, found, err := r.look("n", "a"); found || err != nil {
		t.Errorf("after its deletion: %v, %v", found, err)
	}
	if told != 4 {
		t.Errorf("told %d times of 4 changes", told)
	}
	if f.Replace([]any{"x"}, "1") == nil || f.Update("x") == nil || f.Delete("x") == nil {
		t.Error("takes what is no ConfigMap")
	}
	r.follow(nil)
	must(t, f.Add(recordMap("c", 1))) // the end of a watch that was under way
	if _, _, err := r.look("n", "b"); !errors.Is(err, errNotFollowed) || r.bytes != 0 {
		t.Errorf("after nobody follows: %v, %d bytes", err, r.bytes)
	}
}

// A failure keeps what was read, a permission that is taken away does not.
func TestRecordsThatCannotBeRead(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "", nil)
	r, f := following(t)
	f.fail(forbidden)
	if _, _, err := r.ConfigMap(t.Context(), "n", "a"); !apierrors.IsForbidden(err) {
		t.Errorf("without a role: %v", err)
	}
	must(t, f.Replace([]any{recordMap("a", 3)}, "1"))
	f.fail(apierrors.NewInternalError(errors.New("x")))
	if _, found, err := r.look("n", "a"); !found || err != nil {
		t.Errorf("in an outage: %v, %v", found, err)
	}
	f.fail(forbidden)
	if _, found, err := r.look("n", "a"); found || !apierrors.IsForbidden(err) || r.bytes != 0 {
		t.Errorf("without the role again: %v, %v, %d bytes", found, err, r.bytes)
	}
}

func TestRecordsAreBounded(t *testing.T) {
	r, f := following(t)
	must(t, f.Replace(nil, "1"))
	for range 2 { // the same again takes no more room
		for i := range 20 {
			must(t, f.Add(recordMap(string(rune('a'+i)), 1<<20)))
		}
	}
	dropped := 0
	for i := range 20 {
		if _, _, err := r.look("n", string(rune('a'+i))); errors.Is(err, errTooMuch) {
			dropped++
		}
	}
	if dropped != 5 || f.bytes > maxNamespaceRecordBytes || r.bytes != f.bytes {
		t.Errorf("%d of 20 dropped, %d and %d bytes kept", dropped, f.bytes, r.bytes)
	}
	many := map[string]struct{}{}
	for i := range maxFollowedNamespaces + 50 {
		many[string(rune(0x4e00+i))] = struct{}{}
	}
	if r.follow(many); len(r.namespaces) != maxFollowedNamespaces {
		t.Errorf("follows %d namespaces, want %d at most", len(r.namespaces), maxFollowedNamespaces)
	}
}
