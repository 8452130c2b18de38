#!/usr/bin/env bash
# Builds the command for both processors of macOS, on macOS: usage: .ci/macos.sh FOLDER. The one of this machine is tried out.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
out="$1"
install_rust
for processor in x86_64 aarch64; do
  target="$processor-apple-darwin"
  rustup target add "$target"
  cargo build --locked --profile dist --package nri-compat --all-features --target "$target"
  mkdir -p "$out/$processor-macos"
  cp "${CARGO_TARGET_DIR:-target}/$target/dist/nri-compat" "$out/$processor-macos/"
done
case "$(uname -m)" in
  arm64) program="$out/aarch64-macos/nri-compat" ;;
  *) program="$out/x86_64-macos/nri-compat" ;;
esac
"$program" diff v0.11.0 v0.12.0 | grep -F "0 errors, 11 warnings"
"$program" check deploy/kubernetes --fail-on never
