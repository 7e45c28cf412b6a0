package cli

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/callgate/callgate/internal/review"
)

const usernamePrefix = "system:serviceaccount:"

// parseCaller reads the user name of a ServiceAccount, as "kubectl --as" takes it.
func parseCaller(as string) (review.Caller, error) {
	const form = usernamePrefix + "NAMESPACE:NAME"
	if as == "" {
		return review.Caller{}, fmt.Errorf("--as is missing: say which ServiceAccount makes the call, as %s", form)
	}
	rest, ok := strings.CutPrefix(as, usernamePrefix)
	namespace, name, two := strings.Cut(rest, ":")
	if !ok || !two {
		return review.Caller{}, fmt.Errorf("--as %q is no ServiceAccount: write %s", as, form)
	}
	if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
		return review.Caller{}, fmt.Errorf("--as %q has no valid namespace: %s", as, problems[0])
	}
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return review.Caller{}, fmt.Errorf("--as %q has no valid name: %s", as, problems[0])
	}
	return review.Caller{
		Kind: review.ServiceAccount, Namespace: namespace, Name: name, Via: "cli",
		Groups: groupsOf(namespace),
	}, nil
}
