#!/usr/bin/env bash
# Runs the tests, and keeps what the runners said for `promises --results`: test.sh RESULTS-FOLDER.
# All runners run, so that one failure does not hide another; the script fails if one of them does.
set -euo pipefail

results=$1
mkdir -p "$results"
results=$(cd "$results" && pwd)
rm -f "$results"/*
export LANG=${FANFARE_TEST_LANG:-en_US.UTF-8}
status=0

npm --prefix ui run test:all -- --reporter=default --reporter=json --outputFile.json="$results/vitest.json" || status=$?

# The tests start these, and a test does not build another package's library or executables.
cargo build -p fanfarectl -p fanfare-probe -p fanfare-sim -p fanfare-sim-nvml
# Built apart from the run: Cargo's list of executables tells whose test is whose, and a failed build stops here.
cargo test --workspace --no-run --message-format json-render-diagnostics >"$results/binaries.json"
export FANFARE_BUILT=1
cargo test --workspace --no-fail-fast 2>&1 | tee "$results/cargo.log" || status=$?
exit "$status"
