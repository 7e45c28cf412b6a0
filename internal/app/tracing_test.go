package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/internal/app"
)

func TestARootThatIsNoneIsTold(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for about, file := range map[string]string{"a file without a certificate": empty, "a missing file": filepath.Join(dir, "none")} {
		o := valid()
		o.Kubeconfig = filepath.Join(dir, "kubeconfig")
		if err := os.WriteFile(o.Kubeconfig, []byte(`{"apiVersion":"v1","kind":"Config","current-context":"m","clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1"}}],"users":[{"name":"u","user":{}}],"contexts":[{"name":"m","context":{"cluster":"c","user":"u"}}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Tracing.Endpoint, o.Tracing.CAFile = "https://collector.example.org/v1/traces", file
		if err := app.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--tracing-ca-file:") {
			t.Errorf("%s: %v", about, err)
		}
	}
}
