#!/bin/sh
# How long `nri-compat diff` takes as a whole process, next to `buf breaking` on the same two protos in the same run.
# Needs hyperfine and buf (npm package @bufbuild/buf); BUF names the command if it is not on the PATH. npm installs
# buf as a launcher, which starts the program of the platform: that program is timed as well, without its launcher.
# Usage: tests/bench/diff.sh [FROM TO]        (embedded revisions, default v0.11.0 v0.12.0)
set -eu
cd "$(dirname "$0")/../.."
from=${1:-v0.11.0} to=${2:-v0.12.0} 
buf=$(command -v "${BUF:-buf}") || { echo "error: there is no buf; name it by BUF, or npm install @bufbuild/buf" >&2; exit 1; }

cargo build --profile bench --quiet -p nri-compat
ours=${CARGO_TARGET_DIR:-target}/release/nri-compat
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/from" "$work/to" "$work/config"
cp "protos/api/$from/api.proto" "$work/from"
cp "protos/api/$to/api.proto" "$work/to"
# Not beside the inputs: buf would take the folder for its module, and refuse them.
printf 'version: v2\nbreaking:\n  use: [FILE]\n' >"$work/config/buf.yaml"

# Both exit with 100 when they find something, which is no failure here; 1 is one.
against="$work/to --against $work/from --config $work/config/buf.yaml"
set -- --command-name "buf breaking" "$buf breaking $against"
for program in "$(dirname "$(realpath "$buf")")"/../../buf-*/bin/buf; do
    [ ! -x "$program" ] || set -- "$@" --command-name "buf breaking, without its launcher" "$program breaking $against"
done
for command in "$ours diff $from $to" "$buf breaking $against"; do
    code=0
    $command >"$work/out" 2>&1 || code=$?
    [ "$code" = 0 ] || [ "$code" = 100 ] || { cat "$work/out" >&2; exit 1; }
done
hyperfine --shell=none --warmup 5 --min-runs 30 --ignore-failure --export-json "$work/times.json" \
    --command-name "nri-compat diff $from $to" "$ours diff $from $to" \
    "$@"
python3 - "$work/times.json" <<'PYTHON'
import json, sys
ours, *others = json.load(open(sys.argv[1]))["results"]
print(f"median: nri-compat {ours['median'] * 1000:.1f} ms")
for other in others:
    ratio = other["median"] / ours["median"]
    print(f"median: {other['command']} {other['median'] * 1000:.1f} ms, {ratio:.1f} times as long")
PYTHON
