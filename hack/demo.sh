#!/usr/bin/env bash
# Shows Callgate at work against a control plane of its own. Started by `make demo`,
# which builds what it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec go run ./hack/demo "$@"
