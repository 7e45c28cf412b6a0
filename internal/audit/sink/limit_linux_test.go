package sink

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// inLimited says that this process is the one whose files may not grow.
const inLimited = "CALLGATE_TEST_LIMITED"

// A file that can take only half a line gets none of it, and the whole of it later. The
// limit on files is the process's, so that it is a process of its own.
func TestAFileThatIsFullInsideOfALineIsWholeAgain(t *testing.T) {
	if os.Getenv(inLimited) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), inLimited+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	small := limit
	small.Cur = 1000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	path, seen := filepath.Join(t.TempDir(), "audit.jsonl"), &counts{failures: make(chan struct{}, 9)}
	s, stop := start(t, Options{Path: path, Observer: seen})
	var want []string
	for i := range 8 {
		want = append(want, fmt.Sprint(i))
		record(t, s, want[i], true)
	}
	// With the second one what came of the first is settled.
	<-seen.failures
	<-seen.failures
	l, _ := all(t, path)
	if len(l.uids) == 0 || len(l.uids) == 8 || l.broken > 0 {
		t.Errorf("while the file is full it has %v and %d broken lines", l.uids, l.broken)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	stop()
	l, _ = all(t, path)
	if written, dropped, _ := seen.get(); !slices.Equal(l.uids, want) || l.broken > 0 || written != 8 || dropped != 0 {
		t.Errorf("the file has %v and %d broken lines; %d written, %d dropped", l.uids, l.broken, written, dropped)
	}
}
