package compile

import (
	"hash"
	"strconv"

	callgatev1alpha1 "github.com/callgate/callgate/api/v1alpha1"
)

// writeAdapters writes what runs the tools of a namespace, and what may leave of their
// results. Where there is neither nothing is written: what stands before is of known
// length, so that nothing else can have the same encoding.
func writeAdapters(h hash.Hash, g *group) {
	var results []*callgatev1alpha1.ToolSchema
	for _, s := range g.schemas {
		if len(s.Spec.Result.Fields) > 0 {
			results = append(results, s)
		}
	}
	if len(results) == 0 && len(g.adapters) == 0 {
		return
	}
	writeCount(h, len(results))
	for _, s := range results {
		writeField(h, s.Name)
		// The order of the fields is that of the result.
		writeCount(h, len(s.Spec.Result.Fields))
		for _, f := range s.Spec.Result.Fields {
			writeField(h, string(f))
		}
	}
	writeCount(h, len(g.adapters))
	for _, a := range g.adapters {
		writeAdapter(h, a)
	}
}

func writeAdapter(h hash.Hash, a *callgatev1alpha1.ToolAdapter) {
	spec := &a.Spec
	ref, http := &spec.Records.ConfigMapKeyRef, &spec.HTTP
	for _, field := range []string{
		a.Name, string(spec.ToolName), spec.Key, strconv.FormatBool(spec.Tenancy == callgatev1alpha1.TenancyNone),
		ref.Name, ref.Key, http.URL, string(http.Method), strconv.Itoa(int(http.TimeoutMilliseconds)),
		strconv.Itoa(int(http.MaxResponseBytes)), string(http.CABundle), http.ServiceAccountTokenAudience,
	} {
		writeField(h, field)
	}
}
