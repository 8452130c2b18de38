//! Reads any bytes as a WebAssembly module, with the same result from memory and in pieces.

use nri_compat::check::evidence::wasm::Wasm;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    super::pieces::read(&Wasm, bytes);
}
