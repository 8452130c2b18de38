//! Reads any bytes as `go.sum`, without a panic.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::go_sum::GoSum;

fuzz_target!(|bytes: &[u8]| reading::read(&GoSum, bytes));
