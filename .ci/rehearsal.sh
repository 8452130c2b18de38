#!/usr/bin/env bash
# Rehearses taking in a new release of NRI: a made-up release with all that one can bring goes through a copy of the workspace.
# Written by hand are only its proto, its row in protos/events.toml, and what the compiler asks for, at the places listed in
# .ci/rehearsal/places.txt.
#   .ci/rehearsal.sh [quick]
# `quick` compiles the libraries, nri-compat and two example plugins, which takes two minutes of processor time after the tests
# were compiled, so that .ci/run can afford it. It leaves out what compiles everything else: cargo-semver-checks (ten minutes,
# instead of which it compares the list of public items), all other targets, and the examples under every runtime.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
case "$*" in
  "" | quick) only="$*" ;;
  *) echo "usage: .ci/rehearsal.sh [quick]" >&2; exit 2 ;;
esac
# What the verdicts need; the libraries are compiled with it.
programs=(--bin nri-compat --example logger --example device-injector)
export NRI_TESTS_FEATURES="${all[*]}"
root="$PWD" target="$(realpath "${CARGO_TARGET_DIR:-target}")"
PEERS="$target/peers"
release=v0.99.0
xtask="$target/debug/xtask" compat="$target/debug/nri-compat"

# step NAME: prints the name and the seconds so far, and what the processors took: of this shell, and of what it ran.
step() {
  printf '\n== %s (%ss)\n' "$*" "$SECONDS"
  times
}

step "the verdicts of today"
cargo build "${all[@]}" "${programs[@]}" --bin xtask --bin build-peers
"$target/debug/build-peers" go specimens > /dev/null
# Go plugins of several releases of NRI, built in many ways, and plugins of this workspace.
readarray -t plugins < <(find "$target"/peers/nri-v* "$target"/peers/specimens-* -type f -perm -u+x | sort)
plugins+=("$target/debug/examples/logger" "$target/debug/examples/device-injector")
printf '%s programs\n' "${#plugins[@]}"
[ "${#plugins[@]}" -gt 10 ]
# verdicts COMMAND [OPTIONS]: what the command says of these programs under the targets, and how sure it is.
verdicts() { "$@" check --fail-on never --format csv "${targets[@]/#/--target=}" "${plugins[@]}"; }
# Every release of NRI and of containerd that came with another revision.
targets=(nri@0.6 nri@0.11 nri@0.12 containerd@2.7)
verdicts "$compat" > "$target/rehearsal-before.csv"

copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
# With the time of now, so that nothing compiled from an earlier copy passes for its own.
git archive HEAD | tar --extract --touch --directory "$copy"
# Both keep what does not change between rehearsals: the dependencies, and the peers of the matrix.
export CARGO_TARGET_DIR="$target/rehearsal" CARGO_INCREMENTAL=0
mkdir -p "$CARGO_TARGET_DIR"
ln -sfn "$target/peers" "$CARGO_TARGET_DIR/peers"

# Dependencies are compiled already: the first rehearsal takes them, and nothing of the workspace itself.
if [ ! -d "$CARGO_TARGET_DIR/debug" ]; then
  mkdir "$CARGO_TARGET_DIR/debug"
  cp -a "$target"/debug/{.fingerprint,build} "$CARGO_TARGET_DIR/debug/"
  cp -al "$target/debug/deps" "$CARGO_TARGET_DIR/debug/"
  own_targets | .ci/rehearsal/remove.sh "$CARGO_TARGET_DIR/debug"
fi

cd "$copy"
git init --quiet # or else paths would be those of a folder above

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
"$compat" --data protos diff "$newest" "$release" > differences || code="$?"
cat differences
# Something was removed.
[ "$code" = 100 ]
for name in QuiesceContainer quiesce_group quiesce_limit quiesced_by AuthenticatePlugin Quiescence StateChange; do
  grep -qF "$name" differences
done

step "no handler has changed"
# Only the first line, which names the revision.
LC_ALL=C comm -23 <(LC_ALL=C sort "$root/nri/src/plugin/handlers.rs") <(LC_ALL=C sort nri/src/plugin/handlers.rs) | tee handlers-before
[ "$(wc -l < handlers-before)" = 1 ]

step "the compiler names each place that a person must edit"
cp .ci/rehearsal/plugin.rs nri-testing/tests/rehearsal.rs
: > places
# compiles CARGO_ARGUMENTS...: compiles, and fills in what the errors name, as often as that brings new errors.
compiles() {
  local pass
  for pass in $(seq 8); do
    if cargo "$@" "${all[@]}" --keep-going --message-format json > messages 2> log; then return; fi
    python3 .ci/rehearsal/fill_in.py < messages > named || { cat log named; return 1; }
    [ -s named ] || { cat log; return 1; }
    printf 'pass %s\n' "$pass"
    tee -a places < named
  done
  return 1
}
# Tests may build messages as they like.
places_are_listed() {
  grep -vE '^tests/|/tests(/|\.rs)|/benches/' places | LC_ALL=C sort -u | diff .ci/rehearsal/places.txt -
}
compiles build "${programs[@]}" --test rehearsal
places_are_listed

step "a plugin handles the event and reads the new field of a request"
cargo test "${all[@]}" --test rehearsal

step "programs built before the release have the same verdicts under the older targets"
verdicts "$CARGO_TARGET_DIR/debug/nri-compat" > after.csv
python3 .ci/rehearsal/verdicts.py "$target/rehearsal-before.csv" after.csv
# A command of today that learns about the release from a folder does not find the event in programs, and says so.
verdicts "$compat" --data protos > data.csv
python3 .ci/rehearsal/verdicts.py "$target/rehearsal-before.csv" data.csv or-unknown

step "an older command says of the release, and of programs built with it, what the new one says, or that it cannot know"
targets+=("nri@${release#v}")
plugins+=("$CARGO_TARGET_DIR/debug/examples/logger" "$CARGO_TARGET_DIR/debug/examples/device-injector")
verdicts "$CARGO_TARGET_DIR/debug/nri-compat" > new.csv
verdicts "$compat" --data protos > old.csv
python3 .ci/rehearsal/verdicts.py new.csv old.csv or-unknown
# Nothing works there through the RPC that is gone.
cut -d , -f 9-11 new.csv | sort | uniq -c | tee outcomes
grep -qF "nri@${release#v},removed" outcomes
if grep -F "nri@${release#v},deprecated,CHECK_STATE_CHANGE" outcomes; then exit 1; fi

step "no public item of nri is gone, or has another signature"
# interface FOLDER: the public interface of the library in a copy of the workspace.
interface() {
  (cd "$1" && RUSTDOC="$root/xtask/src/rustdoc-json.sh" RUSTDOCFLAGS="-Zunstable-options --output-format json" \
    cargo doc "${profile[@]}" --locked --all-features --no-deps --package nri)
  "$xtask" api --list "$CARGO_TARGET_DIR/doc/nri.json" | LC_ALL=C sort
}
interface "$root" > interface-before
interface "$copy" > interface-after
wc -l interface-*
LC_ALL=C comm -23 interface-before interface-after | tee interface-gone
[ ! -s interface-gone ]

if [ -z "$only" ]; then
  step "it is a minor release of the libraries"
  cargo_command cargo-semver-checks "$CARGO_SEMVER_CHECKS_VERSION" 1
  "$PEERS/cargo/bin/cargo-semver-checks" semver-checks --release-type minor --baseline-root "$root" \
    --package nri --package nri-adaptation --package nri-testing

  step "no other target has a place that a person must edit"
  compiles check --all-targets
  places_are_listed

  step "plugins and runtimes behave as before, with old and new peers"
  # Ten plugins, of the workspace and from Go, under seven runtimes; and the unit tests of the examples.
  cargo test "${all[@]}" --test adaptation every_plugin_under_every_runtime
  cargo test "${all[@]}" --examples

  step "a test names the fields that the compiler does not: nothing applies them yet"
  code=0
  cargo test "${all[@]}" --test adaptation every_field_changes_the_spec > spec || code="$?"
  [ "$code" = 101 ]
  for field in '"ContainerAdjustment", "quiesceGroup"' '"LinuxMemory", "quiesceLimit"'; do grep -F "$field" spec; done
fi

step "done"
