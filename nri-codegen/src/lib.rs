//! Build-time code generator for NRI, the Node Resource Interface: API bindings from versioned
//! protos, without protoc.
//!
//! A build script names versions of the protocol; each becomes a file of Rust source that needs
//! only `prost`.
//!
//! ```
//! // build.rs
//! # #[cfg(feature = "build")]
//! fn main() -> Result<(), nri_codegen::Error> {
//!     # let out = tempfile::tempdir().unwrap();
//!     nri_codegen::Builder::new()
//!         .version("0.11")?
//!         # .out_dir(out.path())
//!         .generate()?;
//!     # let source = std::fs::read_to_string(out.path().join("nri_v0_11_0.rs")).unwrap();
//!     # assert!(source.contains("pub trait Plugin"));
//!     Ok(())
//! }
//! # #[cfg(not(feature = "build"))]
//! # fn main() {}
//! ```
//!
//! ```ignore
//! // lib.rs; or plain `include!(concat!(env!("OUT_DIR"), "/nri_v0_11_0.rs"));`
//! pub mod v0_11 {
//!     nri_codegen::include_bindings!("0.11");
//! }
//! ```
//!
//! A file has the messages and enums, [`EventMask`](#events), for each service a server trait, a
//! client and a dispatcher over bytes, and tables of RPCs and events with the releases that added
//! them.
//!
//! # Events
//!
//! The mask cannot contain a bit that the revision does not know, because a runtime drops a plugin
//! that subscribes to one.
//!
//! # As a dependency
//!
//! Build scripts use the default feature, `build`. The crate itself only needs
//! [`include_bindings!`]: without default features, the crate consists of that macro and has no
//! dependencies.
//!
//! ```toml
//! [dependencies]
//! nri-codegen = { version = "0.1", default-features = false }
//! prost = "0.14"
//!
//! [build-dependencies]
//! nri-codegen = "0.1"
//! ```
//!
//! # Interface
//!
//! Build scripts use [`Builder`], [`Error`] and [`include_bindings!`]; nothing else is a stable
//! interface. What the tools of the repository share with this crate is hidden here, or in the
//! library `nri-schema`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::unreachable))]

#[cfg(feature = "build")]
mod builder;
#[cfg(feature = "build")]
#[doc(hidden)] // used by the maintenance commands of the repository
pub mod emit;
#[cfg(feature = "build")]
mod error;
mod include;
#[cfg(feature = "build")]
#[doc(hidden)] // used by the maintenance commands of the repository
pub mod write;

#[cfg(feature = "build")]
pub use builder::Builder;
#[cfg(feature = "build")]
pub use error::{Error, ErrorKind};
