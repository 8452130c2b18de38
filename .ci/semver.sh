#!/usr/bin/env bash
# Compares the public interface of each published library with that of the last tag, or with itself if there is no tag.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
cargo_command cargo-semver-checks "$CARGO_SEMVER_CHECKS_VERSION" 1
baseline="$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2> /dev/null || git rev-parse HEAD)"
# The interface of nri-schema and of the library of nri-compat is not promised; nri-macros has none besides its derive.
read -ra libraries <<< "$(published 'name not in ("nri-compat", "nri-macros", "nri-schema")')"
"$PEERS/cargo/bin/cargo-semver-checks" semver-checks --baseline-rev "$baseline" "${libraries[@]/#/--package=}"
