#!/usr/bin/env bash
# Runs the command once for each form of its report. The first run decides about the exit code.
set -euo pipefail

program="$RUNNER_TEMP/nri-compat-$VERSION/nri-compat"
out="$(mktemp -d "$RUNNER_TEMP/nri-compat-report.XXXXXX")"
cd "$FOLDER"

command=("$COMMAND")
# each OPTION LINES: adds the option with each line that is not empty; without an option, the line alone.
each() {
  local line
  while IFS= read -r line; do
    [ -z "$line" ] || command+=(${1:+"$1"} "$line")
  done <<< "$2"
}

each --fail-on "$FAIL_ON"
each --config "$CONFIG"
each --baseline "$BASELINE"
each --data "$DATA"
each "" "$OPTIONS"
case "$COMMAND" in
  check)
    each --target "$TARGET"
    command+=(--)
    each "" "$PATHS"
    ;;
  diff)
    each --category "$CATEGORY"
    each --import "$IMPORT"
    [ -n "$TO" ] || { echo "::error::diff needs the input \`to\`"; exit 1; }
    [ -n "$FROM$GITHUB_BASE_REF" ] || { echo "::error::diff needs the input \`from\` outside of pull requests"; exit 1; }
    command+=(-- "${FROM:-origin/$GITHUB_BASE_REF:$TO}" "$TO")
    ;;
  *)
    echo "::error::not a command of this action: $COMMAND; it has check and diff"
    exit 1
    ;;
esac

# run FORMAT: writes the report.
run() { "$program" "${command[0]}" --format "$1" "${command[@]:1}"; }
# write FORMAT: the report as a file. Findings do not fail it, and its warnings were shown by the first run.
write() { run "$1" > "$out/report.$1" 2> "$out/errors" || [ "$?" = 100 ] || { cat "$out/errors"; return 1; }; }

code=0
run github > "$out/annotations" || code="$?"
[ "$ANNOTATIONS" != true ] || cat "$out/annotations"
echo "exit-code=$code" >> "$GITHUB_OUTPUT"
[ "$code" = 0 ] || [ "$code" = 100 ] || exit "$code"

write json
write sarif
printf 'report=%s\nsarif=%s\n' "$out/report.json" "$out/report.sarif" >> "$GITHUB_OUTPUT"
if [ "$SUMMARY" = true ]; then
  write markdown
  cat "$out/report.markdown" >> "$GITHUB_STEP_SUMMARY"
fi

# labelled: whether the pull request has the label that accepts what breaks.
labelled() {
  [ -n "$BREAKING_LABEL" ] && jq --exit-status --arg name "$BREAKING_LABEL" \
    'any(.pull_request.labels[]?; .name == $name)' "$GITHUB_EVENT_PATH" > /dev/null
}
if [ "$COMMAND" = diff ] && [ "$code" = 100 ] && labelled; then
  echo "::notice::what breaks is accepted by the label \`$BREAKING_LABEL\`"
  code=0
fi
exit "$code"
