//! Sessions with plugins: tests, probes, recordings and their replay.

mod in_process;
mod isolation;
mod probe;
#[cfg(feature = "wasm")]
mod probe_wasm;
mod record;
