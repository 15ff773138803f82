#!/usr/bin/env bash
# Builds the .deb: package.sh debug|release. The window, fanfarectl and the probe, all in /usr/bin.
set -euo pipefail

profile=$1
arguments=(--bundles deb)
[[ $profile == release ]] || arguments+=(--debug)
target=$(cargo metadata --format-version 1 --no-deps | node -p 'JSON.parse(require("fs").readFileSync(0)).target_directory')

cargo build --profile "$([[ $profile == release ]] && echo release || echo dev)" -p fanfarectl -p fanfare-probe
config=$(printf '{"bundle":{"linux":{"deb":{"files":{"/usr/bin/fanfarectl":"%s/fanfarectl","/usr/bin/fanfare-probe":"%s/fanfare-probe"}}}}}' \
  "$target/$profile" "$target/$profile")
ui/node_modules/.bin/tauri build "${arguments[@]}" --config "$config"
