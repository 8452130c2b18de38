//! Reads any bytes as a file that declares dependencies, without a panic.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::declared::Declared;

fuzz_target!(|bytes: &[u8]| reading::read(&Declared, bytes));
