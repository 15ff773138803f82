#!/usr/bin/env bash
# Brings this machine what a task needs: setup.sh SET, a set of packages.sh.
#
# On Debian and Ubuntu missing packages are listed and then installed, with sudo if need be. Elsewhere, or without the right to
# install, the list is printed and nothing is done. SETUP=no says that the machine has what it needs.
#
# Exit codes: 0 everything is there; 2 wrong use; 3 something is missing and this script may not install it; else apt's own.
set -euo pipefail
# shellcheck source=scripts/packages.sh
source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# is_installed PACKAGE
is_installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# stop WORDS…: says what only the owner of the machine can do.
stop() {
  printf 'setup: %s\n' "$@" >&2
  exit 3
}

# as_root COMMAND…
as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

# install PACKAGE…: none of them may start a service, which is what policy-rc.d refuses while apt runs.
install() {
  # shellcheck disable=SC2016 # the inner shell expands these
  as_root sh -eu -c '
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
      trap "rm -f $policy" EXIT
      printf "#!/bin/sh\nexit 101\n" > "$policy"
      chmod 755 "$policy"
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    apt-get install -q -y --no-install-recommends "$@"
  ' setup "$@" </dev/null
}

main() {
  [[ $# == 1 ]] || { echo "use: setup.sh SET" >&2; exit 2; }
  [[ ${SETUP:-yes} != no ]] || exit 0
  local needed missing=()
  needed=$(packages_of "$1")
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    stop "this is not Debian or Ubuntu. Install what these packages hold, then run make with SETUP=no:" \
      "$(tr '\n' ' ' <<<"$needed")"
  fi
  for package in $needed; do
    is_installed "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || exit 0
  echo "setup: missing packages: ${missing[*]}"
  if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
    stop "to install them takes root, and there is no sudo here. As root:" "  apt-get install ${missing[*]}"
  fi
  install "${missing[@]}"
}

main "$@"
