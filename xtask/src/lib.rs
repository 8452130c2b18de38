//! Maintenance of this repository: adds releases, writes generated files, checks them for drift.
//!
//! [`generate`] lists every generated file that is committed, [`shipped`] writes those of `nri`,
//! `nri-macros` and `nri-compat`, [`import`] adds a release of NRI and with it a protocol revision,
//! [`refresh`](mod@refresh) adds releases of container runtimes, [`circles`] finds modules that
//! import each other, [`interfaces`] lists the public interfaces, [`release`](mod@release) builds
//! the artifacts of a release, and [`book`](mod@book) the book.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::unreachable))]

pub mod book;
pub mod circles;
mod doc_comments;
pub mod error;
pub mod generate;
pub mod import;
pub mod interfaces;
pub mod metadata;
pub mod refresh;
pub mod release;
pub mod shipped;
mod tokens;
mod tool;
pub mod zoo;
