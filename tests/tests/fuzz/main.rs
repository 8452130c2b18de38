//! Every fuzz target on its seeds and on variants of them, within the memory that the table allows.
//!
//! This is what keeps the targets compiling and their seeds valid. To look for new inputs is the
//! work of a fuzzer: `.ci/fuzz.sh`.

#[path = "../../../fuzz/src"]
mod package {
    pub(crate) mod compat;
    pub(crate) mod conformance;
    #[allow(dead_code, reason = "here, a panic that the adaptation catches ends nothing")]
    pub(crate) mod library;
    pub(crate) mod memory;
    pub(crate) mod targets;
}

#[path = "../protocol/counting.rs"]
#[allow(dead_code, reason = "only what counts all threads is used")]
mod counting;

// Modules of the example runtime, which name each other from the root of their crate.
#[path = "../../../nri-adaptation/examples/runtime/error.rs"]
#[allow(dead_code, reason = "only a part of the example is used")]
mod error;
#[path = "../../../nri-adaptation/examples/runtime/event.rs"]
#[allow(dead_code, reason = "only a part of the example is used")]
mod event;
#[path = "../../../nri-adaptation/examples/runtime/scenario.rs"]
#[allow(dead_code, reason = "only a part of the example is used")]
mod scenario;

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

// The targets name each other from the root of their crate.
use package::{compat, conformance, library, memory, targets};
use targets::{TARGETS, Target};

/// The variants of each seed.
const VARIANTS: usize = 16;

/// One test for all targets: memory is counted on all threads, so they must not run side by side.
#[test]
fn every_target_takes_its_seeds_and_their_variants() {
    let mut failed = Vec::new();
    for target in TARGETS {
        for (path, seed) in seeds(target) {
            // The same in every run.
            let mut random = fastrand::Rng::with_seed(0);
            let variants = (0..VARIANTS).map(|_| variant(&seed, &mut random));
            for input in std::iter::once(seed.clone()).chain(variants) {
                if catch_unwind(|| memory::run(target, &input)).is_err() {
                    failed.push(format!("{}: from {}: {input:?}", target.name, path.display()));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Returns the seeds of a target with their paths: an empty one, and those in its folder.
fn seeds(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target.name);
    let mut seeds = vec![(PathBuf::from("nothing"), Vec::new())];
    if folder.exists() {
        for entry in folder.read_dir().expect("folder of seeds") {
            let path = entry.expect("entry of a folder").path();
            let seed = std::fs::read(&path).expect("a seed is a file");
            seeds.push((path, seed));
        }
    }
    seeds.sort();
    seeds
}

/// Returns a seed with some bytes replaced, and in half of the cases without its end.
fn variant(seed: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut variant = seed.to_vec();
    if random.bool() {
        variant.truncate(random.usize(..=seed.len()));
    }
    for _ in 0..random.usize(1..=4) {
        let at = random.usize(..=variant.len());
        match variant.get_mut(at) {
            Some(byte) => *byte = random.u8(..),
            None => variant.push(random.u8(..)),
        }
    }
    variant
}

/// A folder without a target is one that was renamed, and whose seeds nothing reads.
#[test]
fn every_folder_of_seeds_belongs_to_a_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds");
    for of_crate in root.read_dir().expect("folder of seeds") {
        let of_crate = of_crate.expect("entry of a folder").path();
        for folder in of_crate.read_dir().expect("folder of a crate") {
            let folder = folder.expect("entry of a folder").path();
            let name = folder.strip_prefix(&root).expect("inside").display().to_string();
            assert!(TARGETS.iter().any(|target| target.name == name), "{name} is no target");
        }
    }
}
