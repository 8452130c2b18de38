//! Reads any bytes as a WebAssembly module, with the same result from memory and in pieces.
#![no_main]

mod pieces;

use libfuzzer_sys::fuzz_target;
use nri_compat::check::evidence::wasm::Wasm;

fuzz_target!(|bytes: &[u8]| pieces::read(&Wasm, bytes));
