#!/usr/bin/env bash
# Runs every fuzz target of the tree for the given time, one after another, because
# each uses all cores. Stops at the first failure; go test then says where it wrote
# the input.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fuzztime=${1:-30s}

count=0
while read -r file; do
	package=./$(dirname "$file")
	while read -r target; do
		count=$((count + 1))
		echo "fuzz: $package $target for $fuzztime"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" "$package"
	done < <(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$file")
done < <(git ls-files -co --exclude-standard -- '*_test.go' | sort)

if ((count == 0)); then
	echo "fuzz: no target found" >&2
	exit 1
fi
echo "fuzz: $count targets, nothing found"
