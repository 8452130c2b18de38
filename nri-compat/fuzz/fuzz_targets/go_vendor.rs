//! Reads any bytes as `vendor/modules.txt`, without a panic.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::go_vendor::GoVendor;

fuzz_target!(|bytes: &[u8]| reading::read(&GoVendor, bytes));
