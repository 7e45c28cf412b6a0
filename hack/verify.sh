#!/usr/bin/env bash
# Fails when something generated, formatted or tidied is not what its source says.
# Everything is regenerated in a temporary copy of the tree (with what is not
# committed yet), so that the tree itself is never touched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly root=$PWD

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

failed=()
step() { printf 'verify: %s\n' "$*"; }
fail() { # what, how to mend it
	printf 'verify: FAIL: %s\nverify:       mend it with: %s\n' "$1" "$2"
	failed+=("$1")
}

# A file that git lists but that was deleted is not part of the tree.
files() { git ls-files -co --exclude-standard -z -- "$@" | while IFS= read -r -d '' f; do
	[[ ! -e $f ]] || printf '%s\0' "$f"
done; }

step "regenerating in a copy"
mkdir "$tmp/have" "$tmp/want"
files | tar --null -T - -cf - | tar -C "$tmp/have" -xf -
cp -a "$tmp/have/." "$tmp/want/"
mkdir -p "$tmp/want/bin"
for tool in controller-gen crd-ref-docs; do
	ln -s "$root/bin/$tool" "$tmp/want/bin/$tool"
	touch -h "$tmp/want/bin/$tool"
done
# -o: the tools were built before this script was called, and the copy's file times
# are no reason to build them again.
if ! make -C "$tmp/want" --no-print-directory generate manifests \
	-o "$tmp/want/bin/controller-gen" -o "$tmp/want/bin/crd-ref-docs" >"$tmp/log" 2>&1; then
	cat "$tmp/log"
	fail "the generators do not run" "reading the above"
fi
rm -rf "$tmp/want/bin"
if ! (cd "$tmp" && diff -ruN have want); then
	fail "generated files are not what their sources say (- is what there is, + is what should be)" "make generate manifests"
fi

step "building config/default"
if ! "$root/bin/kustomize" build config/default >"$tmp/default.yaml"; then
	fail "config/default does not build" "reading the above"
fi

step "gofmt"
unformatted=$(files '*.go' | xargs -0 gofmt -l)
if [[ -n $unformatted ]]; then
	echo "$unformatted"
	fail "files are not formatted" "make fmt"
fi

for module in . hack/tools hack/lint hack/envtest test/bench; do
	step "go mod tidy: $module"
	if ! (cd "$tmp/have/$module" && GOFLAGS=-mod=mod GOWORK=off go mod tidy -diff); then
		fail "$module/go.mod or go.sum is not tidy" "(cd $module && go mod tidy)"
	fi
done

step "go vet"
if ! go vet ./... || ! go vet -tags slow ./...; then
	fail "go vet has findings" "reading the above"
fi

if ((${#failed[@]} > 0)); then
	printf 'verify: %d of the checks failed:\n' "${#failed[@]}"
	printf 'verify:   %s\n' "${failed[@]}"
	exit 1
fi
step "all is as its source says"
