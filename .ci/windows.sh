#!/usr/bin/env bash
# Builds the command for Windows with zig: usage: .ci/windows.sh FOLDER. Wine tries it out, if it is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
out="$1"
install_rust
install_release
target=x86_64-pc-windows-gnu
rustup target add "$target"
# Without the feature conformance, whose peers talk over Unix sockets.
cargo zigbuild --locked --profile dist --package nri-compat --no-default-features --features registry,cluster --target "$target"
mkdir -p "$out/x86_64-windows"
cp "${CARGO_TARGET_DIR:-target}/$target/dist/nri-compat.exe" "$out/x86_64-windows/"
command -v wine > /dev/null || { echo "wine is not installed: compiled, but not run"; exit 0; }
try="$(mktemp -d)"
cp "$out/x86_64-windows/nri-compat.exe" "$try/"
python -m ziglang cc -target x86_64-windows-gnu -shared -o "$try/bcryptprimitives.dll" .ci/windows/bcryptprimitives.c -ladvapi32
export WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" WINEPREFIX="$try/wine"
trap 'wineserver --kill || true; rm -rf "$try"' EXIT
wine "$try/nri-compat.exe" diff v0.11.0 v0.12.0 | grep -F "0 errors, 11 warnings"
wine "$try/nri-compat.exe" check deploy/kubernetes --fail-on never | grep -F "no plugin found"
wine "$try/nri-compat.exe" logs tests/fixtures/logs --fail-on never | grep -F "2 plugins: 2 deprecated"
