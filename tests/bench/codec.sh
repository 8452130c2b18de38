#!/usr/bin/env bash
# The codec of `nri` beside prost, with its derive and without it, in a program that decodes every request and encodes
# every answer of a plugin:
#   1. bytes that the stripped program has more than one without messages;
#   2. time to decode a CreateContainer request and to encode its answer;
#   3. for prost, processor time of a clean debug build of the messages.
# Without its derive, prost gets the code to which the compiler expands it, as somebody would write it by hand. Runs are
# interleaved and medians printed.
#
#   tests/bench/codec.sh [RUNS]      default 9
set -euo pipefail
runs=${1:-9}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$work/target"
TIMEFORMAT='%U %S'

crates=(none ours derived written)
cp "$root/Cargo.lock" "$work/Cargo.lock"
cat >"$work/Cargo.toml" <<'TOML'
[workspace]
resolver = "3"
members = ["none", "ours", "generated", "derived", "written"]
[profile.release]
lto = "thin"
codegen-units = 1
TOML

# crate NAME: a crate with the dependencies from standard input.
crate() {
    mkdir -p "$work/$1/src"
    { printf '[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n' "$1"; cat; } >"$work/$1/Cargo.toml"
}
crate none </dev/null
crate ours <<TOML
[dependencies]
nri = { path = "$root/nri", default-features = false }
TOML
crate generated <<TOML
[build-dependencies]
nri-codegen = { path = "$root/nri-codegen" }
TOML
crate derived <<'TOML'
[dependencies]
prost = "0.14"
TOML
crate written <<'TOML'
[dependencies]
prost = { version = "0.14", default-features = false, features = ["std"] }
TOML
cat >"$work/generated/build.rs" <<'RUST'
fn main() -> Result<(), nri_codegen::Error> {
    nri_codegen::Builder::new().version("latest")?.messages_only().out_dir("SOURCE").generate()
}
RUST
sed -i "s|SOURCE|$work|" "$work/generated/build.rs"
touch "$work/generated/src/lib.rs"
cat >"$work/ours/src/lib.rs" <<'RUST'
pub use nri::api::*;
pub use nri::codec::Message;
pub fn decode<M: Message>(bytes: &[u8]) -> M {
    M::decode(bytes).unwrap()
}
RUST
cat >"$work/prost.rs" <<'RUST'
pub use prost::Message;
pub fn decode<M: Message + Default>(bytes: &[u8]) -> M {
    M::decode(bytes).unwrap()
}
RUST
cat >"$work/main.rs" <<'RUST'
#![allow(deprecated)]
use std::hint::black_box;
use std::time::Instant;

use CRATE::*;

macro_rules! pass {
    (decoded: $($request:ident)*; encoded: $($answer:ident)*) => {
        /// Decodes the bytes as the message of this name, or encodes one.
        fn pass(name: &str, bytes: &[u8]) -> usize {
            match name {
                $(stringify!($request) => size_of_val(&black_box(decode::<$request>(bytes))),)*
                $(stringify!($answer) => black_box($answer::default()).encode_to_vec().len(),)*
                _ => 0,
            }
        }
    };
}

// The requests that a plugin decodes, and the messages that it encodes.
pass! {
    decoded:
        ConfigureRequest SynchronizeRequest RunPodSandboxRequest UpdatePodSandboxRequest
        PostUpdatePodSandboxRequest StopPodSandboxRequest RemovePodSandboxRequest CreateContainerRequest
        PostCreateContainerRequest StartContainerRequest PostStartContainerRequest UpdateContainerRequest
        PostUpdateContainerRequest StopContainerRequest RemoveContainerRequest StateChangeEvent
        ValidateContainerAdjustmentRequest UpdateContainersResponse;
    encoded:
        ConfigureResponse SynchronizeResponse CreateContainerResponse UpdateContainerResponse
        StopContainerResponse ValidateContainerAdjustmentResponse RegisterPluginRequest
        UpdateContainersRequest
}

fn entries(count: usize) -> impl Iterator<Item = (String, String)> {
    (0..count).map(|n| (format!("example.com/label-{n}"), format!("value {n}")))
}

fn request() -> Vec<u8> {
    let pod = PodSandbox {
        id: "0123456789abcdef".repeat(4),
        name: "web".into(),
        namespace: "default".into(),
        labels: entries(10).collect(),
        annotations: entries(10).collect(),
        ..Default::default()
    };
    let mount = |n| Mount {
        destination: format!("/mnt/{n}"),
        r#type: "bind".into(),
        source: format!("/var/lib/{n}"),
        options: vec!["rbind".into(), "ro".into()],
        ..Default::default()
    };
    let container = Container {
        id: "fedcba9876543210".repeat(4),
        pod_sandbox_id: pod.id.clone(),
        name: "server".into(),
        labels: entries(10).collect(),
        annotations: entries(10).collect(),
        args: vec!["/bin/server".into(), "--verbose".into()],
        env: (0..20).map(|n| format!("NAME_{n}=value")).collect(),
        mounts: (0..10).map(mount).collect(),
        ..Default::default()
    };
    CreateContainerRequest { pod: Some(pod.into()), container: Some(container.into()), ..Default::default() }
        .encode_to_vec()
}

fn answer() -> CreateContainerResponse {
    let env = |n| KeyValue { key: format!("NAME_{n}"), value: "value".into(), ..Default::default() };
    let adjust = ContainerAdjustment {
        annotations: entries(10).collect(),
        env: (0..10).map(env).collect(),
        ..Default::default()
    };
    CreateContainerResponse { adjust: Some(adjust.into()), ..Default::default() }
}

fn time(what: &str, mut step: impl FnMut()) {
    const STEPS: u32 = 20_000;
    let start = Instant::now();
    (0..STEPS).for_each(|_| step());
    println!("{what} {}", start.elapsed().as_nanos() / u128::from(STEPS));
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    if let Some(name) = arguments.next() {
        let bytes = std::fs::read(arguments.next().unwrap()).unwrap();
        println!("{}", pass(&name, &bytes));
    } else {
        let (request, answer) = (request(), answer());
        println!("request of {} bytes, answer of {}", request.len(), answer.encode_to_vec().len());
        time("decode", || drop(black_box(decode::<CreateContainerRequest>(black_box(&request)))));
        time("encode", || drop(black_box(black_box(&answer).encode_to_vec())));
    }
}
RUST
cat >"$work/none/src/main.rs" <<'RUST'
fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let bytes = std::fs::read(arguments.next().unwrap_or_default()).unwrap();
    let start = std::time::Instant::now();
    println!("{name} {} {:?}", std::hint::black_box(bytes).len(), start.elapsed());
}
RUST
for name in ours derived written; do
    sed "s/CRATE/$name/" "$work/main.rs" >"$work/$name/src/main.rs"
done

cd "$work"
cargo build --quiet -p generated
cat nri_v*.rs prost.rs >derived/src/lib.rs
# What the compiler writes for the derives of the standard library is not stable outside of it.
unstable='prelude_import, structural_match, derive_clone_copy_internals, derive_eq_internals, core_intrinsics, fmt_helpers_for_derive, coverage_attribute, trivial_clone'
{
    echo "#![feature($unstable)]"
    echo '#![allow(unused_imports, unused_mut, redundant_semicolons, mismatched_lifetime_syntaxes, unused_parens)]'
    RUSTC_BOOTSTRAP=1 cargo rustc --quiet --offline -p derived --lib -- -Zunpretty=expanded |
        perl -0pe 's/^#!\[feature.*\n//; s/#\[prost\([^\]]*\)\]//g'
} >written/src/lib.rs
export RUSTC_BOOTSTRAP=1

for name in "${crates[@]}"; do
    cargo build --quiet --offline --release -p "$name"
    cp "target/release/$name" "$name.bin"
    strip "$name.bin"
done

# median FILE
median() {
    sort -n "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}
for ((run = 0; run < runs; run++)); do
    for name in ours derived written; do
        "./$name.bin" >"$name.out"
        for what in decode encode; do
            sed -n "s/^$what //p" "$name.out" >>"$name.$what"
        done
    done
done
for ((run = 0; run < 3; run++)); do
    for name in derived written; do
        rm -rf clean
        { time CARGO_TARGET_DIR=clean cargo build --quiet --offline -p "$name" --lib 2>/dev/null; } 2>"$name.time"
        awk '{ print $1 + $2 }' "$name.time" >>"$name.build"
    done
done
head -1 ours.out
empty=$(stat -c %s none.bin)
for name in ours derived written; do
    printf '%-8s %4d KiB   decode %6d ns   encode %6d ns   build %s s\n' "$name" "$((($(stat -c %s "$name.bin") - empty) / 1024))" \
        "$(median "$name.decode")" "$(median "$name.encode")" "$([ -f "$name.build" ] && median "$name.build" || echo -)"
done
