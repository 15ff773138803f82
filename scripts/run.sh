#!/usr/bin/env bash
# Shows the rig's live table: run.sh FOLDER, where the executables are. Ends as the table does.
set -euo pipefail

if [[ -z ${DISPLAY:-} && -z ${WAYLAND_DISPLAY:-} ]]; then
  echo "There is no display here. The rig's live table, in this terminal:"
fi
exec "$1/fanfarectl" watch
