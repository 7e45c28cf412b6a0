package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/callgate/callgate/internal/app"
	"github.com/callgate/callgate/internal/testenv"
)

// Process is a manager in a process of its own, built without the race detector.
type Process struct {
	Manager
	cmd    *exec.Cmd
	log    *lockedBuffer
	exited chan error
}

// Build builds the command.
func Build(ctx context.Context, tb TB) string {
	tb.Helper()
	binary := filepath.Join(tb.TempDir(), "callgate")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/callgate")
	cmd.Dir = moduleRoot(tb)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("building the command: %v\n%s", err, out)
	}
	return binary
}

// StartProcess runs `callgate manager` until the test ends and returns when it is
// ready.
func StartProcess(ctx context.Context, tb TB, env *testenv.Env, binary string, flags ...string) *Process {
	tb.Helper()
	p := &Process{log: &lockedBuffer{}, exited: make(chan error, 1)}
	opts := p.options(ctx, tb, env)
	p.Client = HTTPClient(p.CA, false)
	p.Addresses = app.Addresses{Endpoint: FreeAddress(tb), Admission: FreeAddress(tb), Health: FreeAddress(tb)}
	args := append([]string{
		"manager", "--kubeconfig", opts.Kubeconfig,
		"--bind-address", p.Endpoint.String(), "--admission-bind-address", p.Admission.String(), "--health-bind-address", p.Health.String(),
		"--tls-cert-file", opts.CertFile, "--tls-private-key-file", opts.KeyFile,
		"--leader-election-namespace", SystemNamespace, "--drain-lame", "100ms", "--drain-closing", "100ms",
	}, flags...)
	p.cmd = exec.Command(binary, args...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		tb.Fatalf("starting the manager: %v", err)
	}
	go func() {
		p.exited <- p.cmd.Wait()
		close(p.exited)
	}()
	tb.Cleanup(func() { p.Stop(tb) })
	for deadline := time.Now().Add(stopTimeout); p.Readyz() != http.StatusOK; {
		if time.Now().After(deadline) || p.Exited() {
			tb.Fatalf("the manager is not ready after %v; its log:\n%s", stopTimeout, p.log)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return p
}

// Stop sends SIGTERM and fails unless the process ends with exit code 0.
func (p *Process) Stop(tb TB) {
	tb.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tb.Fatalf("stopping the manager: %v", err)
	}
	select {
	case err := <-p.exited:
		if err != nil {
			tb.Fatalf("the manager ended with %v; its log:\n%s", err, p.log)
		}
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill()
		tb.Fatalf("the manager did not stop within %v; its log:\n%s", stopTimeout, p.log)
	}
}

// Exited reports whether the process has ended.
func (p *Process) Exited() bool {
	select {
	case err, open := <-p.exited:
		if open {
			p.exited <- err
		}
		return true
	default:
		return false
	}
}

// Log is what the process printed.
func (p *Process) Log() string { return p.log.String() }

// PeakMemory gives the most memory that the process has had resident, in bytes. It
// reads what Linux tells, and gives 0 elsewhere.
func (p *Process) PeakMemory(tb TB) int64 {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kibibytes int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kibibytes); err == nil {
			return kibibytes << 10
		}
	}
	tb.Fatalf("the process tells no peak of its memory")
	return 0
}

// FreeAddress gives a loopback address on which nobody listens.
func FreeAddress(tb TB) net.Addr {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("finding a free port: %v", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr()
}

// lockedBuffer is written by a process and read by a test.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
