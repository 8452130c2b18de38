#!/usr/bin/env bash
# Builds the book and follows its links.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
install_tools
install_validators
target="${CARGO_TARGET_DIR:-target}"
# Cargo built the commands with the tests, if they ran.
command="$target/debug/nri-compat-all"
[ -x "$command" ] || cargo build --locked -p nri-tests --all-features --bin nri-compat-all
xtask="$target/debug/xtask"
[ -x "$xtask" ] || cargo build --locked -p xtask
out="$target/docs"
rm -rf "$out"
"$xtask" book --out "$out" --command "$command"
"$PEERS/python/bin/lychee" --offline --no-progress --root-dir "$(realpath "$out/book")" "$out/book/**/*.html"
