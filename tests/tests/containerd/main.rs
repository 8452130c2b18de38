//! Plugins under real containerd.

mod bridge;
mod broken_order;
mod configuration;
mod conformance_runtime;
mod go_plugins;
mod network_devices;
mod rust_plugins;
mod samples;
#[cfg(feature = "wasm")]
mod wasm_containerd;
