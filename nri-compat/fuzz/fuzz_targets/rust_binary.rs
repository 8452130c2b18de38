//! Any bytes as an executable that Go did not link: read or refused, alike from memory and in pieces.
#![no_main]

mod pieces;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::rust_binary::RustBinary;

fuzz_target!(|bytes: &[u8]| pieces::read(&RustBinary, bytes));
