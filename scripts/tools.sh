#!/usr/bin/env bash
# Checks the tools that are not packages of the system: tools.sh rust|node …
#
# Exit codes: 0 all are there; 3 one is missing or too old.
set -euo pipefail

# stop WORDS: says what is missing.
stop() {
  echo "setup: $1" >&2
  exit 3
}

for tool in "$@"; do
  case $tool in
    rust)
      command -v cargo >/dev/null || stop "Rust is missing: https://rustup.rs"
      wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../Cargo.toml")
      found=$(rustc --version | cut -d ' ' -f 2)
      printf '%s\n' "$wanted" "${found%%-*}" | sort --check=quiet --version-sort ||
        stop "Rust $found is too old: $wanted or newer is needed (rustup update)"
      ;;
    node)
      for part in node npm; do
        command -v "$part" >/dev/null || stop "$part is missing: Node 20.19 or newer, https://nodejs.org"
      done
      node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
        stop "Node $(node --version) is too old: 20.19 or newer is needed"
      ;;
    *) stop "there is no tool named $tool" ;;
  esac
done
