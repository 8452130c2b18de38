#!/usr/bin/env bash
# Packages every published crate, then builds the packaged command outside the workspace, as its users will.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"

# Cargo takes a published version for unchangeable: it would build what an earlier run unpacked from the same folder.
unpacked="${CARGO_HOME:-$HOME/.cargo}/registry/src"
if compgen -G "$unpacked/-*/nri-*" > /dev/null; then
  rm -rf "$unpacked"/-*/nri-* "$target"/debug/.fingerprint/nri-{protos,schema,codegen,macros}-*
fi

# Not verified one by one: the command is built from these packages below, and with it all of them.
cargo package --locked --no-verify -p nri-protos -p nri-schema -p nri-codegen -p nri-macros -p nri -p nri-conformance -p nri-compat

outside="$(mktemp -d)"
trap 'rm -rf "$outside"' EXIT
for crate in "$target"/package/*.crate; do tar -xzf "$crate" -C "$outside"; done
manifest="$(echo "$outside"/nri-compat-*/Cargo.toml)"
generator="$(echo "$outside"/nri-codegen-*/Cargo.toml)"
{
  printf '\n[patch.crates-io]\n'
  for crate in nri-protos nri-schema nri-codegen nri-macros nri nri-conformance; do
    printf '%s = { path = "%s" }\n' "$crate" "$(echo "$outside/$crate"-[0-9]*)"
  done
  printf '\n[workspace]\n\n'
  # The same profiles, so that dependencies that an earlier step compiled need not be compiled again.
  sed -n '/^\[profile.dev/,/^\[profile.release/p' Cargo.toml | sed '$d'
} | tee -a "$manifest" >> "$generator"
cargo run --manifest-path "$manifest" --target-dir "$target" -- diff v0.11.0 v0.12.0
# The command does not depend on it.
cargo check --manifest-path "$generator" --target-dir "$target"
