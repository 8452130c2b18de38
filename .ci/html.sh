#!/usr/bin/env bash
# The HTML reports in a real browser: Debian's chromium, driven by playwright-core, with axe-core as the judge of
# accessibility. SHOTS=FOLDER keeps pictures.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh

debian chromium chromium
install_browser
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The programs of the crate are built for its tests, which the tests of the README compiled.
cargo test --locked --workspace --test check html::
"${CARGO_TARGET_DIR:-target}/debug/html-reports" "$folder"
NODE_MODULES="$(realpath "$PEERS/browser")" timeout 900 node tests/browser/report.mjs "$folder" "$(command -v chromium)"
