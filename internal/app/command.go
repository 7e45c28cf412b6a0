package app

import (
	"context"
	"os"

	"github.com/spf13/cobra"
)

// NewManagerCommand is `callgate manager`.
func NewManagerCommand() *cobra.Command {
	opts := DefaultOptions()
	cmd := &cobra.Command{
		Use:   "manager",
		Short: "Run in a cluster: reconcile policies, report status, give verdicts over HTTPS",
		Long: `Runs the manager: it keeps the compiled policy set equal to the cluster's ToolPolicies
and ToolSchemas, reports in their status what is in force, and gives verdicts on
POST /apis/review.callgate.dev/v1alpha1/toolcallreviews.

Every replica serves; one of them, the holder of a Lease, writes status. Losing the
API server or the Lease ends nothing: what is in force goes on being enforced.

The first SIGTERM or SIGINT starts a drain, a second one ends it.`,
		Example: `  # In a pod, with its own ServiceAccount
  callgate manager --tls-cert-file=/etc/callgate/tls/tls.crt --tls-private-key-file=/etc/callgate/tls/tls.key

  # Against the cluster of a kubeconfig, on this machine only, without the admission webhook
  callgate manager --kubeconfig="$HOME/.kube/config" --bind-address=127.0.0.1:8443 --admission-bind-address= \
    --leader-election-namespace=callgate-system --tls-cert-file=tls.crt --tls-private-key-file=tls.key --log-format=console`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			opts.Log = c.ErrOrStderr()
			setGlobalLogger(newLogger(opts))
			return withSignals(func(signals <-chan os.Signal) error {
				opts.Signals = signals
				return Run(context.WithoutCancel(c.Context()), opts)
			})
		},
	}
	opts.AddFlags(cmd.Flags())
	return cmd
}
