package cli

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Process is the world of this process.
func Process() Deps {
	d := Deps{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		FS:        os.DirFS("/"),
		Env:       os.Getenv,
		WriteFile: writeFile,
		Terminal:  isTerminal(os.Stdout),
		Name:      programName(os.Args),
		Version:   buildVersion(),
	}
	// Without a working directory only absolute paths can be found.
	if dir, err := os.Getwd(); err == nil {
		d.Dir = strings.TrimPrefix(filepath.ToSlash(dir), "/")
	}
	return d
}

// writeFile writes a file that others may read: objects to be reviewed are no secrets.
func writeFile(name string, text []byte) error {
	name = "/" + name
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // as git has it
		return err
	}
	return os.WriteFile(name, text, 0o644) //nolint:gosec // as git has it
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// programName tells a kubectl plugin by the name of its link.
func programName(args []string) string {
	if len(args) > 0 && strings.HasPrefix(filepath.Base(args[0]), "kubectl-callgate") {
		return "kubectl callgate"
	}
	return defaultName
}

func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}
