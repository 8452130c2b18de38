//! A client for the Container Runtime Interface, reduced to the requests of a pod's life.
//!
//! containerd and CRI-O serve the interface over gRPC on a Unix socket. The [messages] have the fields that the driver
//! sets or reads; all others are ignored when a message is decoded.

mod client;
pub mod messages;

pub use client::Client;

/// The service that a runtime serves.
pub const RUNTIME_SERVICE: &str = "runtime.v1.RuntimeService";
