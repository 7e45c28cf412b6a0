package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

// StdinName is what positions call standard input.
const StdinName = "<stdin>"

// Source is one thing to read.
type Source struct {
	// Path is a file or directory of Options.FS, or Stdin.
	Path string
	// Name is what messages call it, such as what the user typed. Absent: Path.
	Name string
}

func (s Source) name() string {
	if s.Name == "" {
		return s.Path
	}
	return s.Name
}

func (s Source) within(rel string) Source {
	return Source{Path: path.Join(s.Path, rel), Name: path.Join(s.name(), rel)}
}

// files lists the files behind a source.
func (l *loader) files(s Source) []Source {
	if s.Path == Stdin {
		return []Source{{Path: Stdin, Name: StdinName}}
	}
	info, err := fs.Stat(l.opts.FS, s.Path)
	if err != nil {
		l.unreadable(s, err)
		return nil
	}
	if !info.IsDir() {
		return []Source{s}
	}
	found := l.walk(s)
	if len(found) == 0 {
		l.add(Diagnostic{Position: Position{File: s.name()}, Rule: RuleUnreadable, Message: "no *.yaml, *.yml or *.json file in this directory"})
	}
	return found
}

// walk lists the manifests below a directory. Links to files are followed, links to
// directories are not: they could lead around in circles.
func (l *loader) walk(dir Source) []Source {
	var found []Source
	err := fs.WalkDir(l.opts.FS, dir.Path, func(p string, d fs.DirEntry, err error) error {
		s := dir.within(strings.TrimPrefix(strings.TrimPrefix(p, dir.Path), "/"))
		switch {
		case err != nil:
			l.unreadable(s, err)
		case p != dir.Path && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case l.linksToDirectory(p, d):
			l.set.Notes = append(l.set.Notes, Note{Position{File: s.name()}, RuleDirectoryLink, "passed over: a link to a directory, which could lead in circles; name it with -f if it is wanted"})
		case isManifest(d.Name()) && l.isRegular(p, d):
			found = append(found, s)
			if len(found) > MaxFiles {
				return overBound(fmt.Sprintf("more than %d files", MaxFiles))
			}
		}
		return nil
	})
	if err != nil {
		l.unreadable(dir, err)
	}
	return found
}

func (l *loader) linksToDirectory(p string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := fs.Stat(l.opts.FS, p)
	return err == nil && info.IsDir()
}

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

func (l *loader) isRegular(p string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	info, err := fs.Stat(l.opts.FS, p)
	// A dangling link is a file that cannot be read, and is reported as such.
	return err != nil || info.Mode().IsRegular()
}

// read reads one file within the bounds.
func (l *loader) read(s Source) ([]byte, bool) {
	text, err := l.readAll(s)
	if err != nil {
		l.unreadable(s, err)
		return nil, false
	}
	if l.total += len(text); l.total > MaxTotalBytes {
		l.unreadable(s, overBound(fmt.Sprintf("more than %d MiB in all", MaxTotalBytes>>20)))
		return nil, false
	}
	return text, true
}

func (l *loader) readAll(s Source) (text []byte, err error) {
	in := l.opts.Stdin
	if s.Path != Stdin {
		f, err := l.opts.FS.Open(s.Path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	if in == nil {
		return nil, errors.New("there is no standard input")
	}
	text, err = io.ReadAll(io.LimitReader(in, MaxFileBytes+1))
	if err == nil && len(text) > MaxFileBytes {
		err = overBound(fmt.Sprintf("larger than %d MiB: split it", MaxFileBytes>>20))
	}
	return text, err
}

// overBound is a bound that a source is over.
type overBound string

func (e overBound) Error() string { return string(e) }

// unreadable reports a source that cannot be read, without the path that the error
// repeats.
func (l *loader) unreadable(s Source, err error) {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	rule := RuleUnreadable
	var bound overBound
	if errors.As(err, &bound) {
		rule = RuleTooLarge
	}
	l.add(Diagnostic{Position: Position{File: s.name()}, Rule: rule, Message: message("cannot be read: " + err.Error())})
}
