#!/usr/bin/env bash
# Builds the .deb: package.sh debug|release. The window and fanfarectl in /usr/bin; the probe and the demo's simulated rig,
# which those two start, in /usr/lib/fanfare.
set -euo pipefail

profile=$1
arguments=(--bundles deb)
[[ $profile == release ]] || arguments+=(--debug)
target=$(cargo metadata --format-version 1 --no-deps | node -p 'JSON.parse(require("fs").readFileSync(0)).target_directory')

# file INSTALLED BUILT: one pair of the package's list of files.
file() {
  printf '"%s":"%s/%s/%s"' "$1" "$target" "$profile" "$2"
}

cargo build --profile "$([[ $profile == release ]] && echo release || echo dev)" \
  -p fanfarectl -p fanfare-probe -p fanfare-sim -p fanfare-sim-nvml
files=$(
  file /usr/bin/fanfarectl fanfarectl
  for name in fanfare-probe fanfare-sim libfanfare_sim_nvml.so; do
    printf ,
    file "/usr/lib/fanfare/$name" "$name"
  done
)
# Tauri's command line takes no other word than true or false for the variable that many a CI sets to 1.
CI=true ui/node_modules/.bin/tauri build "${arguments[@]}" --config "{\"bundle\":{\"linux\":{\"deb\":{\"files\":{$files}}}}}"
