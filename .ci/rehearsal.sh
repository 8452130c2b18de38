#!/usr/bin/env bash
# Rehearses taking in a new release of NRI: a made-up release with all that one can bring goes through a copy of the workspace.
# Written by hand are only its proto, its row in protos/events.toml, and what the compiler asks for, at the places listed in
# .ci/rehearsal/places.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
all=(--workspace --all-features --locked)
export NRI_TESTS_FEATURES="${all[*]}"
root="$PWD" target="$(realpath "${CARGO_TARGET_DIR:-target}")"
PEERS="$target/peers"
release=v0.99.0
xtask="$target/debug/xtask" compat="$target/debug/nri-compat"

step() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }

step "the verdicts of today"
cargo build "${all[@]}" --bin xtask --bin nri-compat --bin build-peers --example logger --example device-injector
"$target/debug/build-peers" go specimens > /dev/null
# Go plugins of several releases of NRI, built in many ways, and plugins of this workspace.
readarray -t programs < <(find "$target"/peers/nri-v* "$target"/peers/specimens-* -type f -perm -u+x | sort)
programs+=("$target/debug/examples/logger" "$target/debug/examples/device-injector")
printf '%s programs\n' "${#programs[@]}"
[ "${#programs[@]}" -gt 10 ]
# verdicts COMMAND [OPTIONS]: what the command says of these programs under every release of NRI and of containerd that came
# with another revision, and how sure it is.
verdicts() {
  "$@" check --fail-on never --format csv --target nri@0.6 --target nri@0.11 --target nri@0.12 --target containerd@2.7 \
    "${programs[@]}"
}
verdicts "$compat" > "$target/rehearsal-before.csv"

copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
# With the time of now, so that nothing compiled from an earlier copy passes for its own.
git archive HEAD | tar --extract --touch --directory "$copy"
# Both keep what does not change between rehearsals: the dependencies, and the peers of the matrix.
export CARGO_TARGET_DIR="$target/rehearsal"
mkdir -p "$CARGO_TARGET_DIR"
ln -sfn "$target/peers" "$CARGO_TARGET_DIR/peers"
cd "$copy"
git init --quiet # or else paths would be those of a folder above

# Dependencies are compiled already: the first rehearsal takes them, and nothing of the workspace itself.
if [ ! -d "$CARGO_TARGET_DIR/debug" ]; then
  mkdir "$CARGO_TARGET_DIR/debug"
  cp -al "$target"/debug/{.fingerprint,build,deps} "$CARGO_TARGET_DIR/debug/"
  own_targets | while read -r name; do
    find "$CARGO_TARGET_DIR/debug" -mindepth 2 -maxdepth 2 \
      -regextype posix-extended -regex ".*/(lib)?$name-[0-9a-f]{16}(\..*)?" -exec rm -rf {} +
  done
fi

newest="$(sed -n 's/^revision = "\(.*\)"/\1/p' protos/versions.toml | tail -n 1)"
.ci/rehearsal/release.sh "protos/api/$newest/api.proto" > new.proto
import() { "$xtask" import new.proto --version "$release" --date 2030-01-01; }

step "an event without a row is refused"
cp protos/versions.toml versions-before.toml
code=0
import 2> refused || code="$?"
cat refused
[ "$code" = 1 ]
grep -qF 'event QuiesceContainer has no row' refused
grep -qF 'rpc = "QuiesceContainer"' refused
cmp protos/versions.toml versions-before.toml

step "with a row, the release is imported"
sed -i '/rpc = "StopContainer"/i\    { rpc = "QuiesceContainer", kind = "consent", container = "running" },' protos/events.toml
import
"$xtask" generate --check

step "diff reports each addition, and what was removed"
code=0
"$compat" --data protos diff "$newest" "$release" > diff || code="$?"
cat diff
# Something was removed.
[ "$code" = 100 ]
for name in QuiesceContainer quiesce_group quiesce_limit quiesced_by AuthenticatePlugin Quiescence StateChange; do
  grep -qF "$name" diff
done

step "no handler has changed"
# Only the first line, which names the revision.
LC_ALL=C comm -23 <(LC_ALL=C sort "$root/nri/src/plugin/handlers.rs") <(LC_ALL=C sort nri/src/plugin/handlers.rs) | tee handlers-before
[ "$(wc -l < handlers-before)" = 1 ]

step "the compiler names each place that a person must edit"
: > places
code=1
for pass in $(seq 8); do
  cargo check "${all[@]}" --all-targets --keep-going --message-format json > messages 2> log && code=0 && break
  python3 .ci/rehearsal/fill_in.py < messages > named || { cat log named; exit 1; }
  [ -s named ] || { cat log; exit 1; }
  printf 'pass %s\n' "$pass"
  cat named | tee -a places
done
[ "$code" = 0 ]
# Tests may build messages as they like.
grep -vE '^tests/|/tests(/|\.rs)|/benches/' places | LC_ALL=C sort -u | diff .ci/rehearsal/places.txt -

step "a plugin handles the event and reads the new field of a request"
cp .ci/rehearsal/plugin.rs nri-testing/tests/rehearsal.rs
cargo test "${all[@]}" --test rehearsal

step "programs built before the release have the same verdicts under the older targets"
cargo build "${all[@]}" --bin nri-compat
verdicts "$CARGO_TARGET_DIR/debug/nri-compat" > after.csv
python3 .ci/rehearsal/verdicts.py "$target/rehearsal-before.csv" after.csv
# A command of today that learns about the release from a folder does not find the event in programs, and says so.
verdicts "$compat" --data protos > data.csv
python3 .ci/rehearsal/verdicts.py "$target/rehearsal-before.csv" data.csv or-unknown

step "plugins and runtimes behave as before, with old and new peers"
# Ten plugins, of the workspace and from Go, under seven runtimes; and the unit tests of the examples.
cargo test "${all[@]}" --test adaptation every_plugin_under_every_runtime
cargo test "${all[@]}" --examples

step "it is a minor release of the libraries"
cargo_command cargo-semver-checks "$CARGO_SEMVER_CHECKS_VERSION"
"$target/peers/cargo/bin/cargo-semver-checks" semver-checks --release-type minor --baseline-root "$root" \
  --package nri --package nri-adaptation --package nri-testing

step "done"
