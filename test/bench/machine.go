package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// versions lists what was measured, Go first.
func versions(runners []runner) []string {
	out := []string{"Go " + strings.TrimPrefix(runtime.Version(), "go")}
	for _, r := range runners {
		switch v := r.version(); {
		case v == "":
		case r.name() == armNode:
			out = append(out, v)
		default:
			name, _, _ := strings.Cut(r.name(), ":")
			out = append(out, name+" "+v)
		}
	}
	return out
}

// families are the processors that are worth a name. A model's number says more
// of the machine than of the figures.
var families = []string{"Xeon", "EPYC", "Ryzen", "Core", "Neoverse"}

// machine describes the machine in general words.
func machine() string {
	words := fmt.Sprintf("%d CPUs (%s/%s)", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return words
	}
	for line := range strings.Lines(string(info)) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) != "model name" {
			continue
		}
		for _, f := range families {
			if strings.Contains(value, f) {
				return fmt.Sprintf("%d CPUs (%s/%s, %s)", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, f)
			}
		}
	}
	return words
}
