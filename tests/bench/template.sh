#!/usr/bin/env bash
# A clean debug build of a plugin: the example `template` as a crate of its own, with what it uses; median of several
# runs, and the crates in its normal dependency tree. Needs the registry's crates on this machine (cargo fetch).
# Usage: tests/bench/template.sh [RUNS]     (default 3)
set -euo pipefail
runs=${1:-3}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
cp "$root/nri/examples/template.rs" "$work/src/main.rs"
cp -r "$root/nri/examples/common" "$work/src/common"
cp "$root/Cargo.lock" "$work/Cargo.lock"
cat >"$work/Cargo.toml" <<TOML
[package]
name = "template"
version = "0.0.0"
edition = "2024"
[dependencies]
nri = { path = "$root/nri" }
lexopt = "0.3"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
tracing = { version = "0.1", default-features = false, features = ["std"] }
tracing-subscriber = { version = "0.3", default-features = false, features = ["fmt"] }
[workspace]
TOML
cd "$work"
export CARGO_TARGET_DIR="$work/target"
cargo fetch --quiet
TIMEFORMAT=%R
for ((run = 0; run < runs; run++)); do
    rm -rf "$work/target"
    { time cargo build --offline --quiet 2>"$work/log" || cat "$work/log"; } 2>>"$work/times"
done
crates=$(cargo tree --offline --edges normal --prefix none | sed 's/ (\*)//' | sort -u | wc -l)
echo "clean debug build: $(sort -n "$work/times" | sed -n "$(((runs + 1) / 2))p") s (median of $runs), $crates crates"
