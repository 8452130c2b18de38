#!/usr/bin/env bash
# Builds a release, and tries out each artifact as its users would: usage: .ci/release.sh [FOLDER]. Needs root, like every
# installation of a package. Takes too long for .ci/run; the workflow of releases runs it.
#
# REPRODUCIBLE=1 builds a second time, in another folder, and compares the sums. ELSEWHERE=FOLDER has the programs for macOS and
# Windows, which .ci/macos.sh and .ci/windows.sh put there.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
out="$(realpath -m "${1:-${CARGO_TARGET_DIR:-target}/dist}")"
temporary="$(mktemp -d)"
trap 'rm -rf "$temporary"' EXIT

step() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }

step "tools"
install_release
install_validators
install_helm
debian qemu-aarch64 qemu-user
debian rpm rpm
debian shellcheck shellcheck
debian skopeo skopeo
debian runc runc
debian ip iproute2
debian /usr/lib/cni/ptp containernetworking-plugins

step "build"
elsewhere=()
[ -z "${ELSEWHERE:-}" ] || elsewhere=(--elsewhere "$ELSEWHERE")
cargo run --locked -p xtask -- release --out "$out" "${elsewhere[@]}"
version="$(cargo pkgid -p nri-compat | sed 's/.*[#@]//')"
(cd "$out" && sha256sum --check --quiet SHA256SUMS)

# try PROGRAM...: the commands of the README, with a specimen of a plugin that a newer runtime does not load.
printf '\0asm\1\0\0\0\7\x16\1\x12plugin_api_version\0\0' > "$temporary/10-old.wasm"
try() {
  "$@" --version | grep -F "$version"
  "$@" diff v0.11.0 v0.12.0 | grep -F "0 errors, 11 warnings"
  local code=0
  "$@" check "$temporary/10-old.wasm" --target containerd@2.3 || code="$?"
  [ "$code" = 100 ]
}

step "archives"
for processor in x86_64 aarch64; do
  tar -xzf "$out/nri-compat-$version-$processor-linux.tar.gz" -C "$temporary"
done
program() { echo "$temporary/nri-compat-$version-$1-linux/${2:-nri-compat}"; }
# docs/src/figures.md says what the programs consist of.
for processor in x86_64 aarch64; do
  [ "$(stat -c %s "$(program "$processor")")" -le 16000000 ]
  [ "$(stat -c %s "$(program "$processor" nri-bridge)")" -le 4000000 ]
done
for name in nri-compat nri-bridge; do
  if readelf --program-headers "$(program x86_64 "$name")" | grep INTERP; then exit 1; fi
done
# try_bridge PROGRAM...: it gets out of its image, and says what a launched one lacks.
try_bridge() {
  "$@" --version | grep -F "$version"
  "$@" --install "$temporary/installed"
  if "$@" 2> "$temporary/error"; then return 1; fi
  grep -F "no runtime launched this process" "$temporary/error"
}
try "$(program x86_64)"
try qemu-aarch64 "$(program aarch64)"
try_bridge "$(program x86_64 nri-bridge)"
try_bridge qemu-aarch64 "$(program aarch64 nri-bridge)"

if [ -n "${ELSEWHERE:-}" ]; then
  for folder in "$ELSEWHERE"/*/; do
    platform="$(basename "$folder")"
    mkdir "$temporary/$platform"
    tar -xzf "$out/nri-compat-$version-$platform.tar.gz" -C "$temporary/$platform" --strip-components=1
    cmp "$folder"/nri-compat* "$temporary/$platform"/nri-compat*
  done
fi

step "the command takes neither itself nor the bridge nor their bills of materials for plugins"
# The charts are left out: without values, no chart says what it runs.
"$(program x86_64)" check --fail-on unknown \
  "$out"/*-linux.tar.gz "$out"/*-image.tar "$out"/*.cdx.json "$out"/*.spdx.json

step "packages"
case "$(dpkg --print-architecture)" in
  amd64) deb="$out/nri-compat_$version-1_amd64.deb" ;;
  *) deb="$out/nri-compat_$version-1_arm64.deb" ;;
esac
dpkg --install "$deb"
try /usr/bin/nri-compat
try_bridge /usr/bin/nri-bridge
man --where nri-compat nri-bridge
systemd-analyze verify --man=no /usr/lib/systemd/system/nri-compat.timer
dpkg --remove nri-compat
[ ! -e /usr/bin/nri-compat ]
[ ! -e /usr/bin/nri-bridge ]
for processor in x86_64 aarch64; do
  rpm --root "$temporary/rpm-$processor" --install --ignorearch "$out/nri-compat-$version-1.$processor.rpm"
done
try "$temporary/rpm-x86_64/usr/bin/nri-compat"
try_bridge "$temporary/rpm-x86_64/usr/bin/nri-bridge"
try qemu-aarch64 "$temporary/rpm-aarch64/usr/bin/nri-compat"

step "image: two programs and certificates for each architecture, nothing else"
image="$out/nri-compat-$version-image.tar"
for architecture in amd64 arm64; do
  skopeo inspect --override-arch "$architecture" "oci-archive:$image" | grep -F "\"Architecture\": \"$architecture\""
done
mkdir "$temporary/image"
tar -xf "$image" -C "$temporary/image"
layers="$(for blob in "$temporary"/image/blobs/sha256/*; do tar -tzf "$blob" 2> /dev/null || true; done)"
[ "$(grep -v '/$' <<< "$layers" | sort | uniq -c | xargs)" = "2 etc/ssl/certs/ca-certificates.crt 2 usr/bin/nri-bridge 2 usr/bin/nri-compat" ]

step "charts"
"$PEERS/helm/helm" lint --quiet "$out/nri-compat-$version.tgz"
"$PEERS/helm/helm" lint --quiet --set plugin=logger "$out/nri-plugin-$version.tgz"
for chart in nri-compat nri-plugin; do
  "$PEERS/helm/helm" show chart "$out/$chart-$version.tgz" | grep -F "version: $version"
  skopeo inspect --raw "oci-archive:$out/$chart-$version-chart.tar" | grep -F vnd.cncf.helm.chart.content > /dev/null
done

step "containerd and Kubernetes run the image and the charts"
cargo build "${all[@]}" --bin build-peers
"${CARGO_TARGET_DIR:-target}/debug/build-peers" containerd kubernetes registry
NRI_RELEASE="$out" NRI_TESTS_FEATURES="${all[*]}" cargo test "${all[@]}" --test kubernetes

step "crates"
cargo publish --dry-run --workspace --locked --no-verify

step "bills of materials"
python3 -m venv "$temporary/bills"
"$temporary/bills/bin/pip" install --quiet --disable-pip-version-check 'cyclonedx-python-lib[json-validation]==11.7.0' spdx-tools==0.8.5
for name in nri-compat nri-bridge; do
  "$temporary/bills/bin/python" tests/validators/bills.py "$name" "$out/$name-$version.cdx.json" "$out/$name-$version.spdx.json"
done

step "descriptions for package managers"
shellcheck "$out/PKGBUILD"
"$PEERS/python/bin/python" -c 'import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))["kind"] == "Plugin"' "$out/krew.yaml"

if [ -n "${REPRODUCIBLE:-}" ]; then
  step "the same bytes in another folder"
  git clone --quiet . "$temporary/again"
  env -u CARGO_TARGET_DIR cargo run --locked -p xtask -- release --root "$temporary/again" --out "$temporary/dist" "${elsewhere[@]}"
  diff "$out/SHA256SUMS" "$temporary/dist/SHA256SUMS"
fi

step "done"
