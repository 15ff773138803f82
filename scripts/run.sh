#!/usr/bin/env bash
# Shows the rig: run.sh FOLDER, where the executables are. In a window where there is a display, else as a live table in this
# terminal. Ends as the window or the table does.
set -euo pipefail

if [[ -n ${DISPLAY:-} || -n ${WAYLAND_DISPLAY:-} ]]; then
  exec "$1/fanfare"
fi
echo "There is no display here. The rig's live table, in this terminal:"
exec "$1/fanfarectl" watch
