#!/bin/sh
# Time and memory of `nri-compat diff` on two FileDescriptorSets of 650,000 fields, next to `buf breaking` if there is one.
# Needs GNU time. Usage: tests/bench/diff-large.sh [FIELDS]
set -eu
cd "$(dirname "$0")/../.."
fields=${1:-650000}
cargo build --profile bench --quiet -p nri-compat
cargo build --quiet -p nri-tests --features slow-tests --bin large-set
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d)
mkdir "$work/config"
trap 'rm -rf "$work"' EXIT
"$target/debug/large-set" "$fields" "$work/from.binpb"
"$target/debug/large-set" "$fields" "$work/to.binpb" changed
printf 'version: v2\nbreaking:\n  use: [FILE]\n' >"$work/config/buf.yaml"

# Both exit with 100 when they find something, which is no failure here.
measure() {
    code=0
    /usr/bin/time -q -o "$work/time" -f "%e s (%U s of CPU)  %M KB  $1" $2 >"$work/out" 2>&1 || code=$?
    [ "$code" = 0 ] || [ "$code" = 100 ] || { cat "$work/out" >&2; exit 1; }
    cat "$work/time"
}
measure "nri-compat diff" "$target/release/nri-compat diff $work/from.binpb $work/to.binpb --format csv"
if buf=$(command -v "${BUF:-buf}"); then
    measure "buf breaking" "$buf breaking $work/to.binpb --against $work/from.binpb --config $work/config/buf.yaml"
fi
