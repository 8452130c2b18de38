#!/usr/bin/env bash
# Rehearses taking in a new release of NRI: a made-up release with one more event goes through a copy of the workspace.
# Nothing but its proto and its row in protos/events.toml is written by hand.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --workspace --all-features --locked --bin xtask --bin nri-compat --bin build-peers
target="$(realpath "${CARGO_TARGET_DIR:-target}")"
xtask="$target/debug/xtask" compat="$target/debug/nri-compat"
release=v0.99.0

step() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }

# Go plugins of several releases of NRI.
"$target/debug/build-peers" go > /dev/null
go_plugins=("$target"/peers/nri-v*/*/plugin)
# verdicts COMMAND: what the command says of these plugins under every release of NRI and of containerd that came with
# another revision, and how sure it is.
verdicts() {
  "$1" check --fail-on never --format csv --target nri@0.6 --target nri@0.11 --target nri@0.12 --target containerd@2.7 \
    "${go_plugins[@]}"
}
verdicts "$compat" > "$target/rehearsal-before.csv"

copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
# With the time of now, so that nothing compiled from an earlier copy passes for its own.
git archive HEAD | tar --extract --touch --directory "$copy"
# Both keep what does not change between rehearsals: the dependencies, and the peers of the matrix.
export CARGO_TARGET_DIR="$target/rehearsal"
mkdir -p "$target/peers" "$CARGO_TARGET_DIR"
ln -sfn "$target/peers" "$CARGO_TARGET_DIR/peers"
cd "$copy"

newest="$(sed -n 's/^revision = "\(.*\)"/\1/p' protos/versions.toml | tail -n 1)"
last="$(sed -n 's/^  LAST = \([0-9]*\);.*/\1/p' "protos/api/$newest/api.proto")"
sed -e '/^  rpc ValidateContainerAdjustment(/a\
\
  // Event `QUIESCE_CONTAINER`: a container is about to be quiesced.\
  rpc QuiesceContainer(QuiesceContainerRequest) returns (QuiesceContainerResponse);' \
  -e "s/^  LAST = .*/  QUIESCE_CONTAINER = $last;\n  LAST = $((last + 1));/" \
  "protos/api/$newest/api.proto" > new.proto
cat >> new.proto << 'PROTO'

message QuiesceContainerRequest {
  PodSandbox pod = 1;
  Container container = 2;
}

message QuiesceContainerResponse {
  repeated ContainerUpdate update = 1;
}
PROTO
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

step "diff reports the event"
"$compat" --data protos diff "$newest" "$release" | tee diff
grep -qF QuiesceContainer diff

step "a plugin handles it"
cat > nri-testing/tests/rehearsal.rs << 'RUST'
//! A plugin that handles an event of a release to come.

use nri::prelude::*;
use nri::store::{PodStore, SightingKind};

#[derive(Default, NriPlugin)]
#[nri(name = "quiescer", index = "10")]
struct Quiescer(PodStore);

impl QuiesceContainer for Quiescer {
    async fn quiesce_container(
        &self,
        _cx: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Updates> {
        let sighting = self.0.observe(Event::QuiesceContainer, &pod, Some(&container));
        assert_eq!(sighting.container, Some(SightingKind::First));
        Ok(Updates::new().update(ContainerUpdate::new(container.id).ignore_failure()))
    }
}

#[tokio::test]
async fn a_plugin_handles_the_new_event() {
    let mut runtime = nri_testing::Runtime::new().start(Quiescer::default()).await.unwrap();
    let pod = runtime.run_pod(nri_testing::pod("web")).await.unwrap();
    let app = nri_testing::container("app");
    let app = runtime.create_container(&pod, app).await.unwrap().container;
    let updated = runtime.send(Event::QuiesceContainer, &pod, Some(&app)).await.unwrap();
    assert_eq!(updated.updates[0].container_id, app.id);
}
RUST
cargo test --workspace --all-features --locked --test rehearsal

step "Go plugins built before the release have the same verdicts under the older targets"
cargo build --workspace --all-features --locked --bin nri-compat
verdicts "$CARGO_TARGET_DIR/debug/nri-compat" > after.csv
diff "$target/rehearsal-before.csv" after.csv

step "everything compiles, and older releases are as they were"
cargo test --workspace --all-features --locked --test adaptation every_plugin_under_every_runtime
cargo check --workspace --all-features --locked --all-targets

step "done"
