#!/usr/bin/env bash
# Speed of nri-codegen:
#   1. all that is generated here (bindings of every revision, what nri ships) with the release binary;
#   2. a clean debug build of a crate whose build.rs uses nri-codegen, against one whose build.rs calls protox and
#      prost-build itself on the same proto.
# Runs are interleaved and medians printed, of wall and of CPU time; CPU time is what a busy machine leaves comparable.
#
#   tests/bench/codegen.sh [RUNS]      default 5
set -euo pipefail
runs=${1:-5}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%R %U %S'

# measure FILE COMMAND...: appends "wall cpu" in seconds to FILE.
measure() {
    local file=$1
    shift
    { time "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; } 2>"$work/time"
    awk '{ print $1, $2 + $3 }' "$work/time" >>"$file"
}

# median FILE COLUMN
median() {
    awk -v column="$2" '{ print $column }' "$1" | sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

report() {
    printf '%-44s wall %7.3f s   cpu %7.3f s   (median of %s)\n' "$1" "$(median "$2" 1)" "$(median "$2" 2)" "$runs"
}

cargo build --quiet --locked --profile bench --manifest-path "$root/Cargo.toml" -p xtask
binary=${CARGO_TARGET_DIR:-$root/target}/release/xtask

# One workspace for both crates, so that they get the same versions of what they share.
mkdir -p "$work/ours/src" "$work/direct/src" "$work/direct/proto"
cp "$root/protos/api/v0.11.0/api.proto" "$work/direct/proto/api.proto"
cp "$root/Cargo.lock" "$work/Cargo.lock"
cat >"$work/Cargo.toml" <<TOML
[workspace]
resolver = "3"
members = ["ours", "direct"]
TOML
cat >"$work/ours/Cargo.toml" <<TOML
[package]
name = "ours"
version = "0.0.0"
edition = "2024"
[dependencies]
nri-codegen = { path = "$root/nri-codegen", default-features = false }
prost = "0.14"
[build-dependencies]
nri-codegen = { path = "$root/nri-codegen" }
TOML
cat >"$work/ours/build.rs" <<'RUST'
fn main() -> Result<(), nri_codegen::Error> {
    nri_codegen::Builder::new().version("0.11")?.generate()
}
RUST
echo 'nri_codegen::include_bindings!("0.11");' >"$work/ours/src/lib.rs"
cat >"$work/direct/Cargo.toml" <<'TOML'
[package]
name = "direct"
version = "0.0.0"
edition = "2024"
[dependencies]
prost = "0.14"
[build-dependencies]
prost-build = "0.14"
protox = "0.10"
TOML
cat >"$work/direct/build.rs" <<'RUST'
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = protox::compile(["proto/api.proto"], ["proto"])?;
    Ok(prost_build::Config::new().compile_fds(set)?)
}
RUST
echo 'include!(concat!(env!("OUT_DIR"), "/nri.pkg.api.v1alpha1.rs"));' >"$work/direct/src/lib.rs"
(cd "$work" && CARGO_TARGET_DIR="$work/fetch" cargo fetch --quiet)

clean_build() {
    rm -rf "$work/target"
    (cd "$work" && CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$work/target" cargo build --offline -p "$1")
}

for ((run = 0; run < runs; run++)); do
    measure "$work/generate.times" "$binary" generate --check --root "$root"
    measure "$work/direct.times" clean_build direct
    measure "$work/ours.times" clean_build ours
done
report "generate all revisions and nri's code" "$work/generate.times"
report "clean build: protox and prost-build" "$work/direct.times"
report "clean build: nri-codegen" "$work/ours.times"
for column in 1 2; do
    awk -v ours="$(median "$work/ours.times" $column)" -v direct="$(median "$work/direct.times" $column)" \
        -v what="$([ $column = 1 ] && echo wall || echo cpu)" \
        'BEGIN { printf "nri-codegen costs %+.1f %% (%s)\n", (ours / direct - 1) * 100, what }'
done
