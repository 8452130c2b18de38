#!/usr/bin/env bash
# A clean debug build of a plugin made from `deploy/template`; median of several runs, and the crates in its normal
# dependency tree. Needs the registry's crates on this machine (cargo fetch).
# Usage: tests/bench/template.sh [RUNS]     (default 3)
set -euo pipefail
runs=${1:-3}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/deploy/template/." "$root/Cargo.lock" "$work"
grep -rl '{{project-name}}' "$work" | xargs sed -i 's/{{project-name}}/pod-greeter/g'
cat >>"$work/Cargo.toml" <<TOML
[patch.crates-io]
nri = { path = "$root/nri" }
nri-adaptation = { path = "$root/nri-adaptation" }
nri-macros = { path = "$root/nri-macros" }
nri-testing = { path = "$root/nri-testing" }
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
