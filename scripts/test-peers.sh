#!/usr/bin/env bash
# Runs the tests that need other people's programs: test-peers.sh PEERS-FOLDER RESULTS-FOLDER. PEERS-FOLDER is made by peers.sh.
set -euo pipefail

peers=$1 results=$2
mkdir -p "$results"
FANFARE_PEERS_PYTHON=$(cd "$peers/bin" && pwd)/python
export FANFARE_PEERS_PYTHON

cargo build -p fanfarectl -p fanfare-probe -p fanfare-sim -p fanfare-sim-nvml
export FANFARE_BUILT=1
# Its own list of executables, as in test.sh: a smaller build may give them other names.
cargo test --workspace --test peers --no-run --message-format json-render-diagnostics >"$results/binaries-peers.json"
cargo test --workspace --test peers -- --include-ignored 2>&1 | tee "$results/cargo-peers.log"
