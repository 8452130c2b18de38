//! Reads any bytes as a Go file, without a panic.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::go_source::GoSource;

fuzz_target!(|bytes: &[u8]| reading::read(&GoSource, bytes));
