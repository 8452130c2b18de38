//! The library behind the `nri-compat` command: the plugins that still use deprecated interfaces,
//! what changed between two NRI protocol versions, what breaks and for whom.
//!
//! ```
//! use nri_compat::diff::diff;
//! use nri_compat::report::finding::{Category, Level};
//! use nri_compat::report::template::{Format, render};
//!
//! let report = diff("v0.12.2", "v0.12.4", Category::File)?;
//! assert_eq!(report.worst(), Some(Level::Warning));
//!
//! let text = render(&report, Format::Text);
//! assert!(text.contains("`failure_policy`") && text.contains("no released runtime knows it yet"));
//! # Ok::<(), nri_compat::error::Error>(())
//! ```
//!
//! Data flows one way: [`check`] and [`diff`] turn user input into the plain types of [`report`],
//! whose formats are independent of their origin; [`main`] parses, calls and selects the [`exit`]
//! code. [`place`], [`sighting`] and [`skipped`] are the facts that `check` observes and `report`
//! shows. The rules are data, one file each, in [`rules`].
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::unreachable))]

mod arguments;
mod book;
mod bounded_json;
mod bounded_yaml;
pub mod bridge;
pub mod check;
mod cli;
#[cfg(feature = "cluster")]
pub mod cluster;
#[cfg(feature = "conformance")]
pub mod compare;
mod configuration;
mod container_log;
mod data;
pub mod diff;
pub mod error;
mod escape;
pub mod exit;
mod facts;
mod folder;
mod history;
mod magic;
pub mod merge;
mod names;
mod path;
mod pattern;
mod pieces;
pub mod place;
pub mod policy;
mod ranges;
#[cfg(feature = "registry")]
pub mod registry;
pub mod report;
pub mod rules;
pub mod runtime_release;
pub mod sighting;
pub mod skipped;
mod stamp;
mod statements;
mod subprocess;
mod system;
mod text_file;
pub mod unknown;
mod unpack;
mod wasm_export;
pub mod workloads;

pub use cli::main;
