//! Protocol schemas of NRI, the Node Resource Interface: compiled, checked, and with their history.
//!
//! This is the common part of `nri-codegen` and `nri-compat`, published because they depend on it.
//! Its interface is not stable: a patch release may change it. Build scripts use `nri-codegen`.
//!
//! # Modules
//!
//! [`source`] resolves the name of a version, [`compile`] turns protos into descriptors, [`schema`]
//! reads descriptors, [`model`] describes the protocol as plain data, and [`history`] records which
//! release added what.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::unreachable))]

pub mod compile;
mod error;
pub mod history;
mod location;
pub mod model;
pub mod near;
mod release;
pub mod schema;
pub mod source;
pub mod version;

pub use compile::Compiled;
pub use error::{Error, ErrorKind, Excerpt, Problem};
pub use history::History;
pub use location::Location;
pub use model::Protocol;
pub use schema::Schema;
