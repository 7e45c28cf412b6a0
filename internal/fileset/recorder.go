package fileset

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/callgate/callgate/internal/manifest"
)

// Recorder is a file system that remembers what was found through it, so that it can
// tell later whether a reader would find the same again. It compares what files hold,
// and not what the file system says of changes: a link to another directory, as
// Kubernetes swaps it, a file that is renamed over another, and one that is written in
// place within the clock's resolution look the same to a reader, and so to it. It is
// safe for concurrent use.
type Recorder struct {
	base fs.FS

	mu    sync.Mutex
	found map[question]answer
}

var (
	_ fs.ReadDirFS = &Recorder{}
	_ fs.StatFS    = &Recorder{}
)

// question is one thing that a reader asks of a file system.
type question struct{ verb, path string }

const (
	verbRead    = "read"
	verbReadDir = "readdir"
	verbStat    = "stat"
)

// answer is a hash of what was found.
type answer [sha256.Size]byte

// NewRecorder makes a Recorder of what is found through it in base.
func NewRecorder(base fs.FS) *Recorder {
	return &Recorder{base: base, found: map[question]answer{}}
}

// Open reads the whole file, as much of it as a manifest may have.
func (r *Recorder) Open(name string) (fs.File, error) {
	f, hash, err := open(r.base, name)
	r.note(question{verbRead, name}, hash)
	return f, err
}

// ReadDir implements fs.ReadDirFS.
func (r *Recorder) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, hash, err := readDir(r.base, name)
	r.note(question{verbReadDir, name}, hash)
	return entries, err
}

// Stat implements fs.StatFS.
func (r *Recorder) Stat(name string) (fs.FileInfo, error) {
	info, hash, err := stat(r.base, name)
	r.note(question{verbStat, name}, hash)
	return info, err
}

func (r *Recorder) note(q question, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found[q] = a
}

// Same asks everything again, and tells whether every answer is the same.
func (r *Recorder) Same() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for q, before := range r.found {
		var now answer
		switch q.verb {
		case verbRead:
			_, now, _ = open(r.base, q.path)
		case verbReadDir:
			_, now, _ = readDir(r.base, q.path)
		default:
			_, now, _ = stat(r.base, q.path)
		}
		if now != before {
			return false
		}
	}
	return true
}

// file is what was read of a file.
type file struct {
	info fs.FileInfo
	*bytes.Reader
}

func (f file) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f file) Close() error { return nil }

func open(base fs.FS, name string) (fs.File, answer, error) {
	f, err := base.Open(name)
	if err != nil {
		return nil, hashError(err), err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, hashError(err), err
	}
	text, err := io.ReadAll(io.LimitReader(f, manifest.MaxFileBytes+1))
	if err != nil {
		return nil, hashError(err), err
	}
	return file{info, bytes.NewReader(text)}, sha256.Sum256(text), nil
}

func readDir(base fs.FS, name string) ([]fs.DirEntry, answer, error) {
	entries, err := fs.ReadDir(base, name)
	if err != nil {
		return entries, hashError(err), err
	}
	var list strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&list, "%q %s\n", e.Name(), e.Type())
	}
	return entries, sha256.Sum256([]byte(list.String())), nil
}

// stat hashes what kind of file it is and who may read it; how long it is and when it was
// written says nothing that its bytes do not.
func stat(base fs.FS, name string) (fs.FileInfo, answer, error) {
	info, err := fs.Stat(base, name)
	if err != nil {
		return nil, hashError(err), err
	}
	return info, sha256.Sum256([]byte(info.Mode().String())), nil
}

// hashError is the same for the same cause.
func hashError(err error) answer {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrapped.Err
	}
	return sha256.Sum256([]byte("error: " + err.Error()))
}
