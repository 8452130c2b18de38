//! Any bytes as `go.sum`: it is recognised and read, or refused, without a panic.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::go_sum::GoSum;

fuzz_target!(|bytes: &[u8]| reading::read(&GoSum, bytes));
