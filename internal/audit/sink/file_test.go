package sink

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
)

// all reads a log and its backups, oldest first.
func all(t testing.TB, path string) (l log, files int) {
	t.Helper()
	for i := 99; i >= 0; i-- {
		name := path
		if i > 0 {
			name = fmt.Sprintf("%s.%d", path, i)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		files++
		part := readLog(t, string(text))
		l.uids, l.gaps, l.broken = append(l.uids, part.uids...), append(l.gaps, part.gaps...), l.broken+part.broken
	}
	return l, files
}

func TestAFileIsPutAsideBeforeItIsTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var want []string
	for round := range 3 {
		s, stop := start(t, Options{Path: path, MaxFileBytes: 4096, MaxBackups: 99, Required: true})
		for i := range 30 {
			uid := fmt.Sprint(round, "-", i)
			want = append(want, uid)
			record(t, s, uid, true)
		}
		stop()
	}
	l, files := all(t, path)
	if !slices.Equal(l.uids, want) || l.broken > 0 || files < 4 {
		t.Errorf("%d files hold %d of %d records and %d broken lines", files, len(l.uids), len(want), l.broken)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 4096 || info.Mode().Perm() != fileMode {
			t.Errorf("%s has %d bytes and mode %v", e.Name(), info.Size(), info.Mode())
		}
	}
}

func TestOnlySoManyFilesAreKept(t *testing.T) {
	for backups := range 3 {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		s, stop := start(t, Options{Path: path, MaxFileBytes: 1, MaxBackups: backups, Required: true})
		for i := range 5 {
			record(t, s, fmt.Sprint(i), true)
		}
		stop()
		l, files := all(t, path)
		want := []string{"2", "3", "4"}[2-backups:]
		if files != backups+1 || !slices.Equal(l.uids, want) {
			t.Errorf("with %d backups there are %d files with %v", backups, files, l.uids)
		}
	}
}

func TestAFileGrowsOnWhereItCannotBePutAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	// A directory that is not empty cannot be renamed over.
	if err := os.MkdirAll(filepath.Join(path+".1", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, stop := start(t, Options{Path: path, MaxFileBytes: 1, MaxBackups: 1, Required: true})
	for i := range 3 {
		record(t, s, fmt.Sprint(i), true)
	}
	stop()
	if l, _ := all(t, path); !slices.Equal(l.uids, []string{"0", "1", "2"}) {
		t.Errorf("the log has %v", l.uids)
	}
}

func TestAHalfLineOfAProcessThatWasKilledStandsAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, []byte(`{"apiVersion":"audit.callga`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, stop := start(t, Options{Path: path})
	record(t, s, "next", true)
	stop()
	if l, _ := all(t, path); !slices.Equal(l.uids, []string{"next"}) || l.broken != 1 {
		t.Errorf("the log has %v and %d broken lines", l.uids, l.broken)
	}
}

func TestAFileThatIsGoneIsMadeAnewWhenWritingFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f := newFile(path, 0, 0, logr.Discard())
	if _, err := f.write([]byte("one\n")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	// What is written to a file without a name is lost to everybody; a failure ends that.
	if err := f.open.Load().Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.write([]byte("two\n")); err == nil {
		t.Fatal("writing to a closed file succeeded")
	}
	if n, err := f.write([]byte("two\n")); n != 4 || err != nil {
		t.Fatalf("wrote %d bytes: %v", n, err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "two\n" {
		t.Errorf("the file has %q: %v", text, err)
	}
}

func TestWholeLines(t *testing.T) {
	lines := []byte("abc\nde\n")
	for n, want := range map[int]int{-1: 0, 0: 0, 2: 0, 3: 4, 4: 4, 5: 4, 6: 7, 7: 7, 9: 7} {
		if got := wholeLines(lines, n); got != want {
			t.Errorf("of %d bytes %d are of whole lines, want %d", n, got, want)
		}
	}
	if got := wholeLines([]byte("\n\n"), 1); got != 1 {
		t.Errorf("an empty line is taken for two: %d", got)
	}
	if strings.Count(string(lines), "\n") != 2 {
		t.Error("the lines were changed")
	}
}
