//! Reads any bytes as the configuration of v0.1.0 plugins, without a panic.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::one_shot::OneShotConfig;

fuzz_target!(|bytes: &[u8]| reading::read(&OneShotConfig, bytes));
