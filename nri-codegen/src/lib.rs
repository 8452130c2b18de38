//! Build-time code generator for NRI, the Node Resource Interface: API bindings from versioned protos, without protoc.
#![forbid(unsafe_code)]

#[cfg(feature = "build")]
pub mod compile;
#[cfg(feature = "build")]
pub mod history;
#[cfg(feature = "build")]
pub mod model;
#[cfg(feature = "build")]
mod near;
#[cfg(feature = "build")]
pub mod source;

#[cfg(feature = "build")]
mod error;

#[cfg(feature = "build")]
pub use compile::Compiled;
#[cfg(feature = "build")]
pub use error::{Error, ErrorKind, Excerpt, Problem};
#[cfg(feature = "build")]
pub use history::History;
#[cfg(feature = "build")]
pub use model::Protocol;
