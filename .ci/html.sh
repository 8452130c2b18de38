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
# Cargo built the program with the tests, if they ran.
reports="${CARGO_TARGET_DIR:-target}/debug/html-reports"
[ -x "$reports" ] || cargo build --locked -p nri-tests --all-features --bin html-reports
"$reports" "$folder"
NODE_MODULES="$(realpath "$PEERS/browser")" timeout 900 node tests/browser/report.mjs "$folder" "$(command -v chromium)"

# The recorded session in the README.
.ci/pictures.sh --check
