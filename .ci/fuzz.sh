#!/usr/bin/env bash
# Runs every fuzz target for a moment: that it builds, takes its seeds, and finds nothing at once.
#   .ci/fuzz.sh [SECONDS]      per target, default 5
set -euo pipefail
cd "$(dirname "$0")/.."
CARGO_FUZZ_VERSION=0.13.2
seconds="${1:-5}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
export PATH="$target/tools/bin:$PATH"

if [ "$(cargo fuzz --version 2>/dev/null)" != "cargo-fuzz $CARGO_FUZZ_VERSION" ]; then
  cargo install cargo-fuzz --version "$CARGO_FUZZ_VERSION" --locked --root "$target/tools" --target-dir "$target/tools/build"
fi

# The stable compiler serves: coverage is all the targets need, no sanitizer.
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$target/fuzz"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
for crate in nri nri-compat nri-conformance; do
  for name in $(cd "$crate" && cargo fuzz list); do
    corpora=("$work")
    [ -d "$crate/fuzz/seeds/$name" ] && corpora+=("$PWD/$crate/fuzz/seeds/$name")
    echo "-- $crate: $name"
    (cd "$crate" && cargo fuzz run -s none "$name" "${corpora[@]}" -- \
      -max_total_time="$seconds" -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1)
    rm -rf "${work:?}"/*
  done
done
