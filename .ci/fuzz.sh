#!/usr/bin/env bash
# Runs every fuzz target for a moment: that it builds, takes its seeds, and finds nothing at once.
#   .ci/fuzz.sh [SECONDS]      per target, default 3
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
export seconds="${1:-3}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
install_tools

# The stable compiler serves: coverage is all the targets need, no sanitizer.
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$target/fuzz"
# A moment finds as much with little optimization, which takes half the time to compile.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1
cargo fuzz build -s none --target x86_64-unknown-linux-gnu
export program="$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/nri-fuzz"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export work

# moment TARGET: runs one target in a folder of its own, and prints its output only if it fails.
moment() {
  local own="$work/$1" corpora memory
  mkdir -p "$own/corpus"
  corpora=("$own/corpus")
  [ -d "fuzz/seeds/$1" ] && corpora+=("fuzz/seeds/$1")
  if NRI_FUZZ_TARGET="$1" "$program" "${corpora[@]}" -artifact_prefix="$own/" \
    -max_total_time="$seconds" -rss_limit_mb=2048 -print_final_stats=1 > "$own/output" 2>&1; then
    memory="$(grep -a '^memory:' "$own/output" | tail -n 1 || true)"
    echo "-- $1: $(awk '/number_of_executed_units/ {print $2}' "$own/output") runs${memory:+, $memory}"
    rm -rf "$own"
  else
    grep -a -m 1 -A 2 'panicked at' "$own/output" || true
    tail -n 60 "$own/output"
    echo "-- $1 failed; the input, in base64:"
    find "$own" -maxdepth 1 -name '*-*' -type f -size -64k -exec base64 {} \;
    return 1
  fi
}
export -f moment

# Without a target the program lists them, and fails.
names="$("$program" 2> /dev/null || true)"
[ -n "$names" ]
xargs -P "$(nproc)" -I {} bash -euo pipefail -c "moment {}" <<< "$names"
