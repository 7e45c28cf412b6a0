package sink

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/callgate/callgate/internal/audit"
)

// short bounds what would otherwise take as long as in earnest.
const short = 200 * time.Millisecond

func TestAFullDeviceIsNeverInTheWay(t *testing.T) {
	seen := &counts{}
	s, stop := start(t, Options{Path: "/dev/full", Observer: seen, MaxRecords: 50, FlushTimeout: short})
	for i := range 80 {
		record(t, s, fmt.Sprint(i), i%2 == 0)
	}
	stop()
	written, dropped, failed := seen.get()
	if written != 0 || dropped != 80 || failed == 0 || seen.reason(ReasonFull) != 30 {
		t.Errorf("%d written, %d dropped of 80, %d failed; %v", written, dropped, failed, seen.dropped)
	}
}

func TestAReviewIsRefusedOnAFullDevice(t *testing.T) {
	s, stop := start(t, Options{Path: "/dev/full", Required: true, Wait: short, FlushTimeout: short})
	defer stop()
	if err := s.Record(t.Context(), verdict("u", true)); err == nil {
		t.Error("a record that cannot be written was taken")
	}
}

func fifo(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAPipeWithoutAReaderIsNeverInTheWay(t *testing.T) {
	path, seen := fifo(t), &counts{}
	s, stop := start(t, Options{Path: path, Observer: seen, MaxRecords: 50})
	for i := range 80 {
		record(t, s, fmt.Sprint(i), true)
	}
	// A reader comes, and gets what has waited for it, and what was lost.
	in, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	uids, lost := readPipe(t, in)
	stop()
	written, dropped, _ := seen.get()
	if written != len(uids) || written+dropped != 80 || lost != dropped || seen.reason(ReasonFull) == 0 {
		t.Errorf("%d written, %d dropped of 80; read %d, told of %d lost", written, dropped, len(uids), lost)
	}
}

// readPipe reads until the gap record.
func readPipe(t testing.TB, in *os.File) (uids []string, lost int) {
	t.Helper()
	r := audit.NewReader(bufio.NewReader(in))
	for {
		line, err := r.Next()
		switch {
		case err != nil:
			t.Fatal(err)
		case line.Record != nil:
			uids = append(uids, line.Record.UID)
		case line.Gap != nil:
			return uids, int(line.Gap.Dropped)
		}
	}
}

func TestAPipeThatNobodyReadsDoesNotHoldUpTheEnd(t *testing.T) {
	path, seen := fifo(t), &counts{}
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, stop := start(t, Options{Path: path, Observer: seen, FlushTimeout: short})
	const n = 1000 // more than a pipe holds
	for i := range n {
		record(t, s, fmt.Sprint(i), true)
	}
	stop()
	written, dropped, _ := seen.get()
	if written == 0 || dropped == 0 || written+dropped != n {
		t.Errorf("%d written, %d dropped of %d", written, dropped, n)
	}
	// What was written before the end is what is in the pipe.
	var uids []string
	r := audit.NewReader(in)
	for {
		line, err := r.Next()
		if err != nil || line.Record == nil {
			break
		}
		uids = append(uids, line.Record.UID)
	}
	if len(uids) != written || !slices.IsSortedFunc(uids, func(a, b string) int { return len(a) - len(b) }) {
		t.Errorf("the pipe holds %d records, and %d are counted as written", len(uids), written)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

func TestAReaderThatLeavesIsWaitedFor(t *testing.T) {
	path, seen := fifo(t), &counts{}
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, stop := start(t, Options{Path: path, Observer: seen, Required: true, Wait: short})
	record(t, s, "first", true)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Record(t.Context(), verdict("nobody", true)); err == nil {
		t.Error("a record was written to a pipe without a reader")
	}
	in, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	for s.Record(t.Context(), verdict("again", true)) != nil {
		if t.Context().Err() != nil {
			t.Fatal("the reader was not found again")
		}
	}
	stop()
	if written, dropped, _ := seen.get(); written < 2 || dropped < 0 {
		t.Errorf("%d written, %d dropped", written, dropped)
	}
}
