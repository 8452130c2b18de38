#!/bin/sh
# Time and memory of `nri-compat diff` on two FileDescriptorSets of 650,000 fields, next to `buf breaking` if there is one.
# Needs GNU time. Usage: tests/bench/diff-large.sh [FIELDS]
set -eu
cd "$(dirname "$0")/../.."
fields=${1:-650000}
cargo build --release --quiet -p nri-compat
cargo build --quiet -p nri-tests --bin large-set
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$target/debug/large-set" "$fields" "$work/from.binpb"
"$target/debug/large-set" "$fields" "$work/to.binpb" changed
printf 'version: v2\nbreaking:\n  use: [FILE]\n' >"$work/buf.yaml"

# Both exit with 100 when they find something, which is no failure here.
measure() {
    /usr/bin/time -f "%e s  %M KB  $1" sh -c "$2 >/dev/null 2>&1 || true"
}
measure "nri-compat diff" "$target/release/nri-compat diff $work/from.binpb $work/to.binpb --format csv"
if buf=$(command -v "${BUF:-buf}"); then
    measure "buf breaking" "$buf breaking $work/to.binpb --against $work/from.binpb --config $work/buf.yaml"
fi
