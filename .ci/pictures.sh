#!/usr/bin/env bash
# Makes the pictures in the README from real runs: .ci/pictures.sh. With --check it compares the recorded session with what the
# commands print now, except for times and sizes, and takes no picture of the report.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
debug="$(realpath "${CARGO_TARGET_DIR:-target}")/debug"
# Cargo built all of these with the tests, if they ran.
[ -x "$debug/nri-compat-all" ] || cargo build --locked -p nri-tests --all-features --bin nri-compat-all
[ -x "$debug/examples/legacy" ] || cargo build --locked -p nri --all-features --example legacy --example logger
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/plugins"
cp "$debug/examples/legacy" "$folder/plugins/10-legacy"
cp "$debug/examples/logger" "$folder/plugins/20-logger"
cp tests/peers/go.mod "$folder/plugins/"
ln -s "$debug/nri-compat-all" "$folder/nri-compat"

python3 tests/browser/session.py docs/images/session.svg "$folder" "$@"
[ "${1:-}" != --check ] || exit 0

debian chromium chromium
install_browser
(cd "$folder" && ./nri-compat check plugins --target containerd@2.4,containerd@2.7 --format html --node worker-1 --fail-on never > report.html)
NODE_MODULES="$(realpath "$PEERS/browser")" timeout 120 node tests/browser/picture.mjs "$folder/report.html" docs/images/report.png "$(command -v chromium)"
