package cli

import (
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/internal/manifest"
)

// Deps is the world as the command line sees it.
type Deps struct {
	In       io.Reader
	Out, Err io.Writer
	// FS holds every file; Dir is the working directory in it.
	FS  fs.FS
	Dir string
	// WriteFile writes a file of FS, and makes the directories above it. Nil: none can be
	// written.
	WriteFile func(name string, text []byte) error
	// Env reads an environment variable.
	Env func(name string) string
	// Terminal says that a person reads Out.
	Terminal bool
	// Name is what the user typed to come here. Absent: "callgate".
	Name string
	// Version describes the build.
	Version string
}

// source finds a path that the user typed.
func (d Deps) source(typed string) manifest.Source {
	if typed == manifest.Stdin {
		return manifest.Source{Path: manifest.Stdin}
	}
	p := filepath.ToSlash(typed)
	if !path.IsAbs(p) {
		p = path.Join("/", d.Dir, p)
	}
	if p = strings.TrimPrefix(path.Clean(p), "/"); p == "" {
		p = "."
	}
	return manifest.Source{Path: p, Name: typed}
}
