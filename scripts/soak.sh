#!/usr/bin/env bash
# Watches a watching fanfarectl for leaks: soak.sh FOLDER MINUTES, where the executables are. The simulated rig is read twenty
# times a second, so that an hour does the work of twenty. Memory and open files of fanfarectl and of its probe are written down
# once a minute; the first tenth of the time is warm-up.
#
# Exit codes: 0 nothing grew; 1 something grew, or the watch ended by itself.
set -euo pipefail

folder=$1 minutes=$2
most_growth_kib=2048 most_more_files=2
warm_up=$((minutes / 10 > 0 ? minutes / 10 : 1))

data=$(mktemp -d)
"$folder/fanfarectl" --profile demo --data-dir "$data" watch --json --interval-ms 50 >/dev/null &
watch=$!
trap 'kill "$watch" 2>/dev/null || true; wait "$watch" 2>/dev/null || true; rm -rf "$data"' EXIT

# memory PID: KiB resident.
memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }
# files PID: how many are open.
files() { find "/proc/$1/fd" -mindepth 1 | wc -l; }

declare -A first_memory first_files
grew=0
printf '%6s  %-16s %10s %6s\n' minute process KiB files
for ((minute = 1; minute <= minutes; minute++)); do
  sleep 60
  kill -0 "$watch" 2>/dev/null || { echo "soak: the watch ended by itself" >&2; exit 1; }
  for pid in "$watch" $(<"/proc/$watch/task/$watch/children"); do
    name=$(<"/proc/$pid/comm") kib=$(memory "$pid") open=$(files "$pid")
    printf '%6d  %-16s %10d %6d\n' "$minute" "$name" "$kib" "$open"
    if ((minute <= warm_up)); then
      first_memory[$name]=$kib first_files[$name]=$open
    elif ((kib > ${first_memory[$name]:-0} + most_growth_kib || open > ${first_files[$name]:-0} + most_more_files)); then
      grew=1
    fi
  done
done
if ((grew)); then
  echo "soak: something grew by more than $most_growth_kib KiB or $most_more_files files after the warm-up" >&2
  exit 1
fi
