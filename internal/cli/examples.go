package cli

import (
	"cmp"
	"strings"
)

func reviewExamples(d Deps) string {
	const text = `  # May the support assistant make this call?
  CALLGATE review -f policies/ --as system:serviceaccount:support:assistant call.json

  # The same against what a cluster holds, with the call from a pipe
  kubectl get toolpolicies,toolschemas -n support -o yaml > objects.yaml
  CALLGATE review -f objects.yaml --as system:serviceaccount:support:assistant < call.json

  # The whole answer, for scripts
  CALLGATE review -f policies/ --as system:serviceaccount:support:assistant -o json call.json`
	return strings.ReplaceAll(text, "CALLGATE", cmp.Or(d.Name, defaultName))
}
