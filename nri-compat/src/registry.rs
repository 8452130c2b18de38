//! A client of image registries: references, credentials, and verified downloads.
//!
//! It implements the pull part of the [distribution specification] and is independent of plugins.
//! Manifests and tokens are read into memory up to a limit. Blobs are streams: their size and digest
//! are verified at the end.
//!
//! Credentials are sent only to the registry that they are stored for, and to the token server that
//! this registry names over a verified connection.
//!
//! [distribution specification]: https://github.com/opencontainers/distribution-spec/blob/main/spec.md

mod agents;
mod auth;
mod blob;
mod certificates;
mod challenge;
mod client;
mod credentials;
mod digest;
mod environment;
mod error;
mod exchange;
mod helper;
mod limits;
mod location;
mod proxies;
mod reference;
mod secret;

pub use auth::token_of;
pub use blob::Blob;
pub use challenge::{Challenge, challenges};
pub use client::{Client, Manifest, Options};
pub use digest::Digest;
pub use environment::Environment;
pub use error::{Error, ErrorKind};
pub use limits::Limits;
pub use reference::Reference;
