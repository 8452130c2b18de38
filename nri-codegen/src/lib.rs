//! Build-time code generator for NRI, the Node Resource Interface: API bindings from versioned protos, without protoc.
//!
//! A build script names versions of the protocol; each becomes a file of Rust source that needs nothing but `prost`.
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
//! A file has the messages and enums, [`EventMask`](#events), for each service a server trait, a client and a
//! dispatcher over bytes, and tables of RPCs and events with the releases that brought them.
//!
//! # Events
//!
//! The mask cannot hold a bit that the revision does not know. A runtime drops a plugin that subscribes to one.
//!
//! # As a dependency
//!
//! Build scripts need the feature `build`; the default `cli` is for the binary. Where only [`include_bindings!`] is used,
//! as a normal dependency, no feature is needed: nothing but the macro is left then, and it depends on nothing.
//!
//! ```toml
//! [dependencies]
//! nri-codegen = { version = "0.1", default-features = false }
//! prost = "0.14"
//!
//! [build-dependencies]
//! nri-codegen = { version = "0.1", default-features = false, features = ["build"] }
//! ```
//!
//! # The pieces
//!
//! [`source`] says what may be named as a version, [`compile`] makes descriptors of it, [`model`] is the protocol as
//! plain data, [`history`] says what came when, [`emit`] makes Rust source of it. [`Builder`] is a front end for build
//! scripts, the binary `nri-codegen` one for this repository.
#![forbid(unsafe_code)]

#[cfg(feature = "build")]
mod builder;
#[cfg(feature = "build")]
pub mod compile;
#[cfg(feature = "build")]
pub mod emit;
#[cfg(feature = "build")]
mod error;
#[cfg(feature = "cli")]
pub mod generate;
#[cfg(feature = "build")]
pub mod history;
#[cfg(feature = "cli")]
pub mod import;
mod include;
#[cfg(feature = "build")]
pub mod model;
#[cfg(feature = "build")]
mod near;
#[cfg(feature = "cli")]
pub mod shipped;
#[cfg(feature = "build")]
pub mod source;
#[cfg(feature = "build")]
mod write;

#[cfg(feature = "build")]
pub use builder::Builder;
#[cfg(feature = "build")]
pub use compile::Compiled;
#[cfg(feature = "build")]
pub use error::{Error, ErrorKind, Excerpt, Problem};
#[cfg(feature = "build")]
pub use history::History;
#[cfg(feature = "build")]
pub use model::Protocol;
