#!/usr/bin/env bash
# Makes the virtual environment of the Python peers, at the versions of tests/peers/requirements.txt: peers.sh FOLDER. One that
# was made from the same versions is left alone.
set -euo pipefail

folder=$1
requirements=tests/peers/requirements.txt
made_from="$folder/requirements.txt"

if ! cmp -s "$requirements" "$made_from"; then
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
  cp "$requirements" "$made_from"
fi
