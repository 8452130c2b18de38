//! Reads any bytes as an executable, with the same result from memory and in pieces.
#![no_main]

mod pieces;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::program::Program;

fuzz_target!(|bytes: &[u8]| pieces::read(&Program, bytes));
