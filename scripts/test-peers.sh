#!/usr/bin/env bash
# Runs the tests that need other people's programs: test-peers.sh PEERS-FOLDER RESULTS-FOLDER.
# The Python peers live in a virtual environment of their own in PEERS-FOLDER, at the versions of tests/peers/requirements.txt.
set -euo pipefail

peers=$1 results=$2
requirements=tests/peers/requirements.txt
installed="$peers/requirements.txt"
mkdir -p "$results"

if ! cmp -s "$requirements" "$installed"; then
  rm -rf "$peers"
  python3 -m venv "$peers"
  "$peers/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
  cp "$requirements" "$installed"
fi
FANFARE_PEERS_PYTHON=$(cd "$peers/bin" && pwd)/python
export FANFARE_PEERS_PYTHON

cargo build -p fanfarectl -p fanfare-probe -p fanfare-sim -p fanfare-sim-nvml
cargo test --workspace --test peers -- --include-ignored 2>&1 | tee "$results/cargo-peers.log"
