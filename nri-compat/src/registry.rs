//! A client of image registries: references, credentials, and verified downloads.
//!
//! It implements the pull part of the [distribution specification] and is independent of plugins.
//! Manifests and tokens are read into memory up to a limit. Blobs are copied to temporary files,
//! and read only if their size and their digest are right.
//!
//! Credentials are sent only to the registry that they are stored for, and to the token server that
//! this registry names over a verified connection.
//!
//! [distribution specification]: https://github.com/opencontainers/distribution-spec/blob/main/spec.md

mod auth;
mod client;
mod credentials;
mod http;
mod options;
mod reference;

pub use auth::{Challenge, challenges, token_of};
pub use client::Client;
pub use options::{Environment, Limits, RegistryOptions};
pub use reference::{Digest, Reference};

pub use crate::skipped::Unreadable as Error;
