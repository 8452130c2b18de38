//! Plugins and the wire, compared with the Go implementations.

#[cfg(feature = "go")]
mod go_peers;
#[cfg(feature = "go")]
mod interop;
#[cfg(feature = "go")]
mod interop_answers;
#[cfg(feature = "go")]
mod interop_events;
#[cfg(feature = "go")]
mod interop_failures;
#[cfg(feature = "go")]
mod sample_plugins;
#[cfg(all(feature = "go", feature = "wasm"))]
mod wasm_go;
#[cfg(all(feature = "go", feature = "wasm"))]
mod wasm_host;
#[cfg(feature = "go")]
mod wire_go;
mod wire_ttrpc;
