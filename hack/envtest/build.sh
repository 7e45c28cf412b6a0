#!/usr/bin/env bash
# Prints the directory that holds kube-apiserver, etcd and kubectl for tests and
# the demo, building them first where they are missing. Everything else that it
# says goes to standard error.
#
# In this order:
#   1. KUBEBUILDER_ASSETS, if it is set and holds all three programs;
#   2. the cache, ${XDG_CACHE_HOME:-$HOME/.cache}/callgate/envtest/<versions>-<os>-<arch>;
#   3. a build into that cache from the module beside this script, which pins every
#      source by checksum. It needs nothing but Go and takes 6 to 15 minutes on two
#      cores, once per version.
#
# With -n it only says which of the three it would be.
set -euo pipefail

readonly programs=(etcd kube-apiserver kubectl)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
dry=${1:-}

say() { printf 'envtest: %s\n' "$*" >&2; }

complete() {
	local p
	for p in "${programs[@]}"; do
		[[ -x $1/$p ]] || return 1
	done
}

if [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then
	if complete "$KUBEBUILDER_ASSETS"; then
		say "using KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS"
		printf '%s\n' "$KUBEBUILDER_ASSETS"
		exit 0
	fi
	say "KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS lacks one of: ${programs[*]}; not using it"
fi

# A user's GOFLAGS or go.work must not decide what is built here.
export GOFLAGS=-mod=readonly GOWORK=off
unset GOOS GOARCH

version_of() { go -C "$here" list -m -f '{{.Version}}' "$1"; }

kubernetes=$(version_of k8s.io/kubernetes)
etcd=$(version_of go.etcd.io/etcd/server/v3)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/callgate/envtest
target=$cache/kubernetes-$kubernetes-etcd-$etcd-$(go env GOOS)-$(go env GOARCH)
readonly kubernetes etcd cache target

if complete "$target"; then
	say "using $target"
	printf '%s\n' "$target"
	exit 0
fi
if [[ $dry == -n ]]; then
	say "would build $target"
	printf '%s\n' "$target"
	exit 0
fi

mkdir -p "$cache"
lock=$target.lock
work=
heart=
compiler=

finish() {
	[[ -z $heart ]] || kill "$heart" 2>/dev/null || true
	[[ -z $compiler ]] || kill "$compiler" 2>/dev/null || true
	[[ -z $work ]] || rm -rf "$work"
	[[ $(cat "$lock/pid" 2>/dev/null) != "$$" ]] || rm -rf "$lock"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Two builds at once would each take twice as long. mkdir is the lock, because it
# is atomic and everywhere; a lock whose owner is gone is moved away, which only
# one of those who wait can do.
waited=
while ! mkdir "$lock" 2>/dev/null; do
	owner=$(cat "$lock/pid" 2>/dev/null || true)
	if [[ -n $owner ]] && ! kill -0 "$owner" 2>/dev/null; then
		mv "$lock" "$lock.stale.$$" 2>/dev/null && rm -rf "$lock.stale.$$"
		continue
	fi
	[[ -n $waited ]] || say "waiting for another build (process ${owner:-unknown}) to finish"
	waited=yes
	sleep 2
done
echo "$$" >"$lock/pid"

if complete "$target"; then # by whoever held the lock
	say "using $target"
	printf '%s\n' "$target"
	exit 0
fi

work=$(mktemp -d "$cache/.build.XXXXXX")

say "building kube-apiserver and kubectl $kubernetes and etcd $etcd from source"
say "this is done once, into $target; it takes 6 to 15 minutes on two cores"
started=$SECONDS

# It ends its own sleep, which would else hold the caller's pipe open.
(
	trap 'kill "$nap" 2>/dev/null; exit' TERM
	while :; do
		sleep 30 &
		nap=$!
		wait "$nap"
		say "still building $(cat "$work/.now" 2>/dev/null || true) after $((SECONDS - started)) s"
	done
) >/dev/null &
heart=$!

# Without the version flags the API server calls itself v0.0.0-master, and clients
# that compare versions misbehave.
minor=${kubernetes#v1.}
minor=${minor%%.*}
readonly component=k8s.io/component-base/version
ldflags="-s -w -X $component.gitVersion=$kubernetes -X $component.gitMajor=1 -X $component.gitMinor=$minor -X $component.gitTreeState=clean"

build() { # program, package, ldflags
	local from=$SECONDS
	echo "$1" >"$work/.now"
	# In the background, because a trap waits for what runs in the foreground.
	go -C "$here" build -trimpath -ldflags "$3" -o "$work/$1" "$2" >&2 &
	compiler=$!
	wait "$compiler"
	compiler=
	say "built $1 in $((SECONDS - from)) s"
}

build etcd go.etcd.io/etcd/server/v3 "-s -w"
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver "$ldflags"
build kubectl k8s.io/kubernetes/cmd/kubectl "$ldflags"

"$work/kube-apiserver" --version >&2
rm -f "$work/.now"
chmod 755 "$work"
rm -rf "$target"
mv "$work" "$target"
work=
say "done after $((SECONDS - started)) s"
printf '%s\n' "$target"
