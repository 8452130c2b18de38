#!/usr/bin/env bash
# Downloads the program of a release for this runner, once per job. It is unpacked only if its sum is in the list of sums, and the
# workflow that builds releases signed that list.
set -euo pipefail

fail() { echo "::error::nri-compat was not installed: $*"; exit 1; }

case "$RUNNER_OS-$RUNNER_ARCH" in
  Linux-X64) platform=x86_64-linux ;;
  Linux-ARM64) platform=aarch64-linux ;;
  macOS-X64) platform=x86_64-macos ;;
  macOS-ARM64) platform=aarch64-macos ;;
  *) fail "there is no program for $RUNNER_OS on $RUNNER_ARCH; use a runner with Linux or macOS" ;;
esac
[[ "$VERSION" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "not a version: $VERSION"

folder="$RUNNER_TEMP/nri-compat-$VERSION"
[ ! -e "$folder/installed" ] || exit 0
name="nri-compat-$VERSION-$platform"
mkdir -p "$folder"
cd "$folder"

download() {
  curl --fail --silent --show-error --location --retry 3 --max-time 300 --output "$1" "$ADDRESS/releases/download/v$VERSION/$1" \
    || fail "$1 of version $VERSION could not be downloaded"
}
download SHA256SUMS
download SHA256SUMS.sigstore.json
download "$name.tar.gz"

cosign verify-blob SHA256SUMS --bundle SHA256SUMS.sigstore.json --certificate-identity "$SIGNER@refs/tags/v$VERSION" \
  --certificate-oidc-issuer https://token.actions.githubusercontent.com || fail "the signature of the sums is not that of the release"
if command -v sha256sum > /dev/null; then
  sum="$(sha256sum "$name.tar.gz")"
else
  sum="$(shasum -a 256 "$name.tar.gz")"
fi
grep -qxF "${sum%% *}  $name.tar.gz" SHA256SUMS || fail "the sum of $name.tar.gz is not that of the release"

tar -xzf "$name.tar.gz" --strip-components=1
touch installed
