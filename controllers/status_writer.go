package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// StatusOwner is the field manager of everything in status.
	StatusOwner = "callgate-status"

	// minWriteInterval bounds a fight with another writer of one object's status to
	// five writes a second. Nobody waiting for a condition notices.
	minWriteInterval = 200 * time.Millisecond
	// countsInterval is how often the change of a namespace's ToolSchemas may
	// rewrite one policy.
	countsInterval = 30 * time.Second

	// maxEventNote is events.k8s.io's own bound.
	maxEventNote = 1024
	eventAction  = "Compile"
)

// statusWriter writes one object's status once, and tells of a changed Ready.
type statusWriter struct {
	client   client.Client
	recorder events.EventRecorder
	clock    clock.PassiveClock
	// leading is asked again at the last moment before a write.
	leading func() bool
}

// apply applies config with force. gone is true where the object is no longer
// there, or is another one: then there is nothing to report, and what has happened
// to it has its own notice.
func (w *statusWriter) apply(ctx context.Context, config runtime.ApplyConfiguration) (gone bool, err error) {
	err = w.client.Status().Apply(ctx, config, client.FieldOwner(StatusOwner), client.ForceOwnership)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("applying status: %w", err)
	}
	return false, nil
}

// overwrite sets what server-side apply cannot: a field that we leave out and
// that another writer has put there and so owns.
func (w *statusWriter) overwrite(ctx context.Context, have, want client.Object) error {
	err := w.client.Status().Patch(ctx, want, client.MergeFrom(have), client.FieldOwner(StatusOwner))
	if err = client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("overwriting status: %w", err)
	}
	return nil
}

// announce tells of a changed Ready condition, and of nothing else.
func (w *statusWriter) announce(obj client.Object, before, after []metav1.Condition) {
	oldStatus, oldReason, _ := readiness(before)
	status, reason, message := readiness(after)
	if oldStatus == status && oldReason == reason {
		return
	}
	kind := corev1.EventTypeNormal
	if status != metav1.ConditionTrue {
		kind = corev1.EventTypeWarning
	}
	w.recorder.Eventf(obj, nil, kind, reason, eventAction, "%s", cutBytes(message, maxEventNote))
}

// cutBytes cuts text at a code point, to a bound that is counted in bytes.
func cutBytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := 0
	for i := range text {
		if i > limit {
			break
		}
		cut = i
	}
	return text[:cut]
}

// answer reads the status that the API server answered with into a typed status.
func answer[T any](config any) (status T, err error) {
	text, err := json.Marshal(config)
	if err != nil {
		return status, fmt.Errorf("reading the answered status: %w", err)
	}
	if err := json.Unmarshal(text, &status); err != nil {
		return status, fmt.Errorf("reading the answered status: %w", err)
	}
	return status, nil
}
