#!/usr/bin/env bash
# Runs every fuzz target for a moment: that it builds, takes its seeds, and finds nothing at once.
#   .ci/fuzz.sh [SECONDS]      per target, default 3
set -euo pipefail
cd "$(dirname "$0")/.."
CARGO_FUZZ_VERSION=0.13.2
export seconds="${1:-3}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
export PATH="$target/tools/bin:$PATH"

if [ "$(cargo fuzz --version 2>/dev/null)" != "cargo-fuzz $CARGO_FUZZ_VERSION" ]; then
  cargo install cargo-fuzz --version "$CARGO_FUZZ_VERSION" --locked --root "$target/tools" --target-dir "$target/tools/build"
fi

# The stable compiler serves: coverage is all the targets need, no sanitizer.
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$target/fuzz"
# A moment finds as much with little optimization, which takes half the time to compile.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export work

# moment CRATE TARGET: runs one target in a folder of its own, and prints its output only if it fails.
moment() {
  local own="$work/$1-$2" corpora
  mkdir -p "$own/corpus"
  corpora=("$own/corpus")
  [ -d "$1/fuzz/seeds/$2" ] && corpora+=("$1/fuzz/seeds/$2")
  if "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/$2" "${corpora[@]}" -artifact_prefix="$own/" \
    -max_total_time="$seconds" -rss_limit_mb=2048 -print_final_stats=1 > "$own/output" 2>&1; then
    echo "-- $1: $2: $(awk '/number_of_executed_units/ {print $2}' "$own/output") runs"
    rm -rf "$own"
  else
    grep -a -m 1 -A 2 'panicked at' "$own/output" || true
    tail -n 60 "$own/output"
    echo "-- $1: $2 failed; the input, in base64:"
    find "$own" -maxdepth 1 -name '*-*' -type f -size -64k -exec base64 {} \;
    return 1
  fi
}
export -f moment

failed=0
for crate in nri nri-compat nri-conformance; do
  (cd "$crate" && cargo fuzz build -s none --target x86_64-unknown-linux-gnu)
  (cd "$crate" && cargo fuzz list) | xargs -P "$(nproc)" -I {} bash -euo pipefail -c "moment $crate {}" || failed=1
  # Programs of another crate may have the same name, and nothing needs these again.
  (cd "$crate" && cargo fuzz list) | while read -r name; do rm -f "$CARGO_TARGET_DIR"/x86_64-unknown-linux-gnu/release/{,deps/}"$name"{,-*}; done
done
exit "$failed"
