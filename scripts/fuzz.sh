#!/usr/bin/env bash
# Runs the property tests with many random cases: fuzz.sh CASES. The crates are those whose manifests name proptest; their other
# tests run along, once. A failing case is shrunk and printed by proptest.
set -euo pipefail

packages=()
while read -r manifest; do
  packages+=(-p "$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -n 1)")
done < <(grep -l '^proptest' src-tauri/crates/*/Cargo.toml src-tauri/crates/*/*/Cargo.toml tests/*/Cargo.toml)
PROPTEST_CASES=$1 cargo test "${packages[@]}"
