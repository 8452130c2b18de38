//! Reads any bytes as `Cargo.lock`, without a panic.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::cargo_lock::CargoLock;

fuzz_target!(|bytes: &[u8]| reading::read(&CargoLock, bytes));
