package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
	"github.com/callgate/callgate/internal/audit"
	"github.com/callgate/callgate/internal/review"
	"github.com/callgate/callgate/internal/toolcall"
)

func TestAuditOptionsAreChecked(t *testing.T) {
	for flag, change := range map[string]func(*AuditOptions){
		"--audit":             func(o *AuditOptions) { o.Mode = "on" },
		"--audit-max-bytes":   func(o *AuditOptions) { o.MaxBytes = 1000 },
		"--audit-max-backups": func(o *AuditOptions) { o.MaxBackups = -1 },
	} {
		o := DefaultAuditOptions()
		change(&o)
		if err := o.validate(); err == nil || !strings.Contains(err.Error(), flag+":") {
			t.Errorf("%s: the fault is told as %v", flag, err)
		}
	}
	good := DefaultAuditOptions()
	good.MaxBytes, good.MaxBackups = 0, 0
	if err := good.validate(); err != nil {
		t.Error(err)
	}
}

func TestAuditKeysComeFromAFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	digest := func(file string) string {
		t.Helper()
		var out bytes.Buffer
		o := DefaultAuditOptions()
		o.KeyFile, o.Out = file, &out
		s, err := o.newSink(logr.Discard())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err = s.Record(t.Context(), &audit.Verdict{
			Phase: audit.PhaseCall, Caller: review.Caller{Namespace: "n", Name: "s"},
			Review:   &toolcall.Review{Calls: []toolcall.Call{{Arguments: []byte(`{"a":1}`)}}},
			Decision: &review.Decision{Response: reviewv1alpha1.ToolCallReviewResponse{Results: make([]reviewv1alpha1.ToolCallResult, 1)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(ctx); err != nil {
			t.Fatal(err)
		}
		l, err := audit.NewReader(&out).Next()
		if err != nil || l.Record == nil {
			t.Fatalf("%v, %q", err, l.Fault)
		}
		return l.Record.Calls[0].ArgumentsDigest
	}
	one := digest(write("one", "0123456789abcdef"))
	if one != digest(write("again", "0123456789abcdef\n")) {
		t.Error("one key makes two digests")
	}
	random, other := digest(""), digest("")
	if one == digest(write("two", "0123456789abcdeg")) || random == other {
		t.Error("two keys make one digest")
	}
	for about, o := range map[string]AuditOptions{
		"a key that is short":   {Mode: auditBestEffort, KeyFile: write("short", "secret")},
		"a key that is missing": {Mode: auditBestEffort, KeyFile: filepath.Join(dir, "none")},
		"a missing directory":   {Mode: auditBestEffort, Path: filepath.Join(dir, "no", "file")},
	} {
		if _, err := o.newSink(logr.Discard()); err == nil || !strings.Contains(err.Error(), "--audit-") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", about, err)
		}
	}
	off := AuditOptions{Mode: auditOff, KeyFile: "/nowhere"}
	if s, err := off.newSink(logr.Discard()); s != nil || err != nil {
		t.Errorf("without audit: %v, %v", s, err)
	}
}
