package app

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// NewServeCommand is `callgate serve`.
func NewServeCommand() *cobra.Command {
	opts := DefaultServeOptions()
	cmd := &cobra.Command{
		Use:   "serve -f PATH... --identities FILE",
		Short: "Serve the endpoint that gives verdicts from files, without a cluster",
		Long: `Serves the endpoint that the manager serves in a cluster, and gives the same verdicts,
by ToolPolicies, ToolSchemas, ToolAdapters, ConfigMaps, Namespaces, Roles, ClusterRoles
and their bindings in files. Callers are those of --identities, each a ServiceAccount of
some namespace; what RBAC is asked about them is answered by the roles in the files.

PATH is a file or a directory (read recursively: *.yaml, *.yml, *.json). Files are read
again when they hold something else, and take force as a whole: a review is judged by the
old set or by the new one. A change that the API server would refuse is not used at all:
what was in force stays, and the log and /readyz?verbose say why. A ToolSchema or a rule
that does not compile is stored by a cluster and blocks; so it does here, unless --strict
has it refused too.

The first SIGTERM or SIGINT starts a drain, a second one ends it.`,
		Example: `  # On this machine, for an agent of its own: a token and a CA are written to files
  callgate serve -f policies/ --issue-token support/assistant=token --tls-self-signed --tls-ca-file ca.crt

  # For others, with a certificate and tokens that they have
  callgate serve -f policies/ --identities identities.yaml --bind-address :8443 \
    --tls-cert-file tls.crt --tls-private-key-file tls.key`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			opts.OnListen = roomyStart()
			opts.Log = c.ErrOrStderr()
			setGlobalLogger(newLogger(Options{Log: opts.Log, LogLevel: opts.LogLevel, LogFormat: opts.LogFormat}))
			return withSignals(func(signals <-chan os.Signal) error {
				opts.Signals = signals
				return Serve(context.WithoutCancel(c.Context()), opts)
			})
		},
	}
	opts.AddFlags(cmd.Flags())
	return cmd
}

// roomyHeap is the collector's percentage until the first answer can be given: reading
// files makes garbage for a moment, and collecting it as it comes is a fifth of the start.
const roomyHeap = 400

// roomyStart keeps the collector out of the start, unless its user has set it. The
// function that it gives ends that.
func roomyStart() func(Addresses) {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	percent := debug.SetGCPercent(roomyHeap)
	return func(Addresses) { debug.SetGCPercent(percent) }
}
