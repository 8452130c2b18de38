//! All fuzz targets in one program: the variable `NRI_FUZZ_TARGET` selects one of them.
#![no_main]

mod compat;
mod conformance;
mod library;
mod memory;
mod targets;

#[path = "../../tests/tests/protocol/counting.rs"]
#[allow(dead_code, reason = "only what counts all threads is used")]
mod counting;

// Modules of the example runtime, which name each other from the root of their crate.
#[path = "../../nri-adaptation/examples/runtime/error.rs"]
#[allow(dead_code, reason = "only a part of the example is used")]
mod error;
#[path = "../../nri-adaptation/examples/runtime/event.rs"]
#[allow(dead_code, reason = "only a part of the example is used")]
mod event;
#[path = "../../nri-adaptation/examples/runtime/scenario.rs"]
#[allow(dead_code, reason = "only a part of the example is used")]
mod scenario;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use targets::{TARGETS, Target};

/// The selected target.
static SELECTED: OnceLock<&Target> = OnceLock::new();

fuzz_target!(init: select(), |bytes: &[u8]| {
    memory::run(SELECTED.get().expect("`select` ran first"), bytes);
});

/// Selects the target, or ends the program with the names of all targets.
fn select() {
    let name = std::env::var("NRI_FUZZ_TARGET").unwrap_or_default();
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        for target in TARGETS {
            println!("{}", target.name);
        }
        eprintln!("error: set NRI_FUZZ_TARGET to one of these targets");
        std::process::exit(2);
    };
    if target.name == "nri-adaptation/module" {
        library::module::continue_after_engine_panics();
    }
    let _ = SELECTED.set(target);
}
