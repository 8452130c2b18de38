#!/usr/bin/env bash
# Usage: diff.sh [OPTION]... FILE...: compares each .proto with what it was. One that is new breaks nobody.
set -euo pipefail

base="${PRE_COMMIT_FROM_REF:-HEAD}"
options=()
files=()
for argument in "$@"; do
  case "$argument" in
    *.proto) files+=("$argument") ;;
    *) options+=("$argument") ;;
  esac
done

failed=0
for file in "${files[@]}"; do
  if git cat-file -e "$base:$file" 2> /dev/null; then
    nri-compat diff "${options[@]}" -- "$base:$file" "$file" || failed="$?"
  fi
done
exit "$failed"
