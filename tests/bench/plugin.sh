#!/bin/sh
# Measures plugins against each other under one Go runtime, in turns within the
# same run: round trips, growth over message sizes, memory over events, size of
# the binary. Figures go to standard error as a table and to target/bench/ as JSON.
#
#   tests/bench/plugin.sh                     the Go plugin and the example `logger`
#   tests/bench/plugin.sh NAME=COMMAND…       whatever takes --socket, --name, --index;
#                                             @go stands for the Go plugin's path
#
# Environment: ROUNDS, CALLS (in a round), SIZES, MEMORY (numbers of events).
set -eu
cd "$(dirname "$0")/../.."

target=${CARGO_TARGET_DIR:-$PWD/target}
events=PostStartContainer,CreateContainer
sizes=${SIZES:-1024,4096,16384,65536,262144,1048576,4194304}
memory=${MEMORY:-1000,10000,100000}

peers=$(cargo run -q -p nri-tests --features go --bin build-peers -- go | awk '/nri-v0.12.5\// { print $3 }')
[ -x "$peers/runtime" ] || { echo "error: the Go peers were not built" >&2; exit 1; }
mkdir -p "$target/bench"

if [ $# -eq 0 ]; then
    cargo build -q --profile bench -p nri --features cli,serde --example logger
    strip -o "$target/bench/logger" "$target/release/examples/logger"
    set -- "go=@go --quiet --events $events" "rust=$target/bench/logger --quiet --events $events"
fi
for plugin in "$@"; do
    shift
    set -- "$@" "$(printf %s "$plugin" | sed "s#@go#$peers/plugin#")"
done

"$peers/runtime" bench -events "$events" -calls "${CALLS:-500}" -rounds "${ROUNDS:-20}" \
    -sizes "$sizes" -memory "$memory" "$@" >"$target/bench/plugin.json"
echo "$target/bench/plugin.json"
