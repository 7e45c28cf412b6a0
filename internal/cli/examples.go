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

  # May a request with these tools be sent? What may be kept if not?
  CALLGATE review -f policies/ --as system:serviceaccount:support:assistant request.json

  # The whole answer, for scripts
  CALLGATE review -f policies/ --as system:serviceaccount:support:assistant -o json call.json`
	return named(d, text)
}

func rootExamples(d Deps) string {
	return named(d, `  # The verdict on one call, by the policies in a directory
  CALLGATE review -f policies/ --as system:serviceaccount:support:assistant call.json`)
}

// named writes the command as its user typed it, so that examples can be copied.
func named(d Deps, text string) string {
	return strings.ReplaceAll(text, "CALLGATE", cmp.Or(d.Name, defaultName))
}
