#!/usr/bin/env bash
# Removes what was compiled of the targets whose names are lines of the input: .ci/rehearsal/remove.sh FOLDER
set -euo pipefail
names="$(paste --serial --delimiters='|')"
find "$1" -mindepth 2 -maxdepth 2 -regextype posix-extended -regex ".*/(lib)?($names)-[0-9a-f]{16}(\..*)?" -exec rm -rf {} +
