package sink

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
)

// fileMode: who called what, and with Full which arguments, is nobody else's to read.
const fileMode = 0o600

// file appends to a file, which it puts aside when it has grown large, or writes to a
// pipe or a device. After a failure it opens the path anew: a disk that was full, or a
// mount that was gone, may have another file there.
type file struct {
	path    string
	max     int64
	backups int
	log     logr.Logger

	// open is shared with interrupt; the rest is the writer's.
	open atomic.Pointer[os.File]
	// regular: the file has a size, can be cut and put aside.
	regular bool
	size    int64
	torn    bool
	// stuck: putting the file aside failed, and was told.
	stuck bool
}

func newFile(path string, maxBytes int64, backups int, log logr.Logger) *file {
	return &file{path: path, max: maxBytes, backups: backups, log: log}
}

// check tells of a path that will not get better by itself.
func (t *file) check() error {
	err := t.reopen()
	switch {
	case err == nil, errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.ENOSPC):
		// A pipe whose reader is still to come, and a disk that is full, will do later.
		return nil
	}
	return err
}

// reopen opens the path. A pipe without a reader is an error and does not wait.
func (t *file) reopen() error {
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, fileMode)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	t.regular, t.size = info.Mode().IsRegular(), info.Size()
	t.torn = t.regular && t.size > 0 && !t.endsLine()
	t.open.Store(f)
	return nil
}

// endsLine reports whether the file ends with a line: a process that was killed may have
// left half of one.
func (t *file) endsLine() bool {
	f, err := os.Open(t.path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var last [1]byte
	_, err = f.ReadAt(last[:], t.size-1)
	return err == nil && last[0] == '\n'
}

func (t *file) write(lines []byte) (int, error) {
	if t.open.Load() == nil {
		if err := t.reopen(); err != nil {
			return 0, err
		}
	}
	if t.regular && t.max > 0 && t.size > 0 && t.size+int64(len(lines)) > t.max {
		if err := t.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := t.append(lines)
	if err != nil {
		// What goes wrong with closing it is of no interest: it is given up.
		_ = t.shut()
	}
	return n, err
}

// append writes lines, and takes back what is of half a line.
func (t *file) append(lines []byte) (int, error) {
	f := t.open.Load()
	if t.torn {
		if _, err := f.Write([]byte{'\n'}); err != nil {
			return 0, err
		}
		t.torn = false
		t.size++
	}
	before := t.size
	n, err := f.Write(lines)
	if err == nil && n < len(lines) {
		err = io.ErrShortWrite
	}
	whole := wholeLines(lines, n)
	t.size = before + int64(n)
	if whole == n {
		return whole, err
	}
	t.torn = true
	if info, statErr := f.Stat(); whole < n && t.regular && statErr == nil && info.Size() == t.size && f.Truncate(before+int64(whole)) == nil {
		t.torn, t.size = false, before+int64(whole)
	}
	return whole, err
}

// rotate puts the file aside: PATH becomes PATH.1, that PATH.2, and so on; the oldest goes.
// Where that cannot be done the file grows on: a log that is too large is better than one
// with a hole.
func (t *file) rotate() error {
	if err := t.shift(); err != nil {
		if !t.stuck {
			t.log.Error(err, "Putting the audit log aside failed; it grows beyond its bound", "path", t.path, "bytes", t.size)
		}
		t.stuck = true
		return nil
	}
	t.stuck = false
	if err := t.shut(); err != nil {
		t.log.Error(err, "Closing the audit log that was put aside failed", "path", t.path)
	}
	return t.reopen()
}

func (t *file) shift() error {
	if t.backups == 0 {
		return orGone(os.Remove(t.path))
	}
	name := func(i int) string {
		if i == 0 {
			return t.path
		}
		return t.path + "." + strconv.Itoa(i)
	}
	for i := t.backups; i > 0; i-- {
		if err := orGone(os.Rename(name(i-1), name(i))); err != nil {
			return err
		}
	}
	return nil
}

// orGone takes a file that is not there for one that was put aside already.
func orGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// interrupt ends a write to a pipe that nobody reads.
func (t *file) interrupt() {
	if f := t.open.Load(); f != nil {
		// A file that takes no deadline does not wait either.
		_ = f.SetWriteDeadline(time.Unix(1, 0))
	}
}

func (t *file) shut() error {
	if f := t.open.Swap(nil); f != nil {
		return f.Close()
	}
	return nil
}

func (t *file) close() error { return t.shut() }
