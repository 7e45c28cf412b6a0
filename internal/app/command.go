package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"

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
			signals := make(chan os.Signal, 2)
			signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
			defer signal.Stop(signals)
			// A reader of the log or of audit records that leaves ends a write, and not
			// the process.
			signal.Ignore(syscall.SIGPIPE)
			opts.Signals = signals
			opts.Log = c.ErrOrStderr()
			setGlobalLogger(newLogger(opts))
			// The signals come by the channel, which tells a second from the first.
			return Run(context.WithoutCancel(c.Context()), opts)
		},
	}
	opts.AddFlags(cmd.Flags())
	return cmd
}
