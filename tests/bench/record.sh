#!/bin/sh
# Measures what recording adds to a round trip, and how fast a recording is replayed to the example `logger`.
#
#   tests/bench/record.sh [ROUNDS [EVENTS]]     20000 round trips, 100000 replayed events
set -eu
cd "$(dirname "$0")/../.."

target=${CARGO_TARGET_DIR:-$PWD/target}
cargo build -q --profile bench -p nri --features cli,serde --example logger
bench="cargo bench -q -p nri-conformance --bench record --"
$bench "${1:-20000}"
$bench replay "$target/release/examples/logger" "${2:-100000}"
