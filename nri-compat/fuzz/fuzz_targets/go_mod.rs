//! Reads any bytes as `go.mod`, without a panic.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::go_mod::GoModReader;

fuzz_target!(|bytes: &[u8]| reading::read(&GoModReader, bytes));
