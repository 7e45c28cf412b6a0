package cli

import (
	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
	"github.com/callgate/callgate/internal/compile"
	"github.com/callgate/callgate/internal/fileset"
	"github.com/callgate/callgate/internal/manifest"
)

// compileLines say what the compiler thinks of the objects, in the order of the
// files. A problem leaves its object not in force; a warning does not.
func compileLines(set *manifest.Set, out *compile.Output) []string {
	problems := fileset.Problems(set, out)
	lines := make([]string, 0, len(problems))
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return lines
}

// recordProblems are those of the ConfigMap that an adapter in force reads.
func recordProblems(set *manifest.Set, namespace string, o *compile.AdapterOutcome) []callgatev1alpha1.Problem {
	return fileset.RecordsOf(set).Problems(namespace, o)
}
