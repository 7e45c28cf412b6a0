#!/usr/bin/env bash
# Runs the slow tests: the functions whose names start with TestSlow, in files with
# the build constraint slow. Arguments are passed on to go test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t packages < <(
	git ls-files -co --exclude-standard -- '*_test.go' |
		xargs -r grep -lE '^//go:build .*\bslow\b' |
		xargs -r -n1 dirname | sort -u | sed 's,^,./,'
)
if ((${#packages[@]} == 0)); then
	echo "test-slow: no file has the build constraint slow" >&2
	exit 0
fi
echo "test-slow: ${packages[*]}"
exec go test -tags slow -run '^TestSlow' "$@" "${packages[@]}"
