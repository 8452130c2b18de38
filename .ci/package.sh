#!/usr/bin/env bash
# Packages every published crate, builds the packaged command and a plugin from the template outside the workspace, as their
# users will, and compiles the libraries with the oldest supported Rust.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
target="${CARGO_TARGET_DIR:-$PWD/target}"
read -ra crates <<< "$(published)"

# Cargo takes a published version for unchangeable: it would build what an earlier run unpacked from the same folder.
unpacked="${CARGO_HOME:-$HOME/.cargo}/registry/src"
if compgen -G "$unpacked/-*/nri-*" > /dev/null; then
  rm -rf "$unpacked"/-*/nri-*
  # A fingerprint has 16 digits.
  for crate in "${crates[@]}"; do rm -rf "$target/debug/.fingerprint/$crate"-????????????????; done
fi

# Not verified one by one: the command is built from these packages below, and with it all of them.
cargo package --locked --no-verify "${crates[@]/#/--package=}"

outside="$(mktemp -d)"
trap 'rm -rf "$outside"' EXIT
for crate in "$target"/package/*.crate; do tar -xzf "$crate" -C "$outside"; done
manifest="$(echo "$outside"/nri-compat-*/Cargo.toml)"
generator="$(echo "$outside"/nri-codegen-*/Cargo.toml)"
# As `cargo generate` does, with the versions of the workspace.
cp -r deploy/template "$outside/pod-greeter"
grep -rl '{{project-name}}' "$outside/pod-greeter" | xargs sed -i 's/{{project-name}}/pod-greeter/g'
cp Cargo.lock "$outside/pod-greeter/"
plugin="$outside/pod-greeter/Cargo.toml"
{
  printf '\n[patch.crates-io]\n'
  for crate in "${crates[@]}"; do
    [ "$crate" = nri-compat ] || printf '%s = { path = "%s" }\n' "$crate" "$(echo "$outside/$crate"-[0-9]*)"
  done
  printf '\n[workspace]\n\n'
  # The same profiles, so that dependencies that an earlier step compiled need not be compiled again.
  sed -n '/^\[profile.dev/,/^\[profile.bench/p' Cargo.toml | sed '/^#/d;$d'
} | tee -a "$manifest" "$plugin" >> "$generator"
cargo run "${profile[@]}" --manifest-path "$manifest" --target-dir "$target" -- diff v0.11.0 v0.12.0
# Tests turn on features of dependencies that this program does not have, such as the tables of Unicode of `regex`.
"$target/debug/nri-compat" logs --fail-on never tests/fixtures/logs
"$target/debug/nri-compat" check --fail-on never nri-compat deploy tests/fixtures
# The command does not depend on it.
cargo check "${profile[@]}" --manifest-path "$generator" --target-dir "$target"
cargo test "${profile[@]}" --manifest-path "$plugin" --target-dir "$target"

# The minimum supported version of Rust of what plugins and runtimes depend on.
rust_version="$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)"
rustup run "$rust_version" rustc --version || rustup toolchain install --profile minimal "$rust_version"
read -ra libraries <<< "$(published 'name not in ("nri-compat", "nri-conformance")')"
cargo "+$rust_version" check --locked --all-features --target-dir "$target/msrv" "${libraries[@]/#/--package=}"
