//! The library behind the `nri-compat` command: protocol diffs today, plugin checks next.
#![forbid(unsafe_code)]

pub mod cli;
pub mod diff;
pub mod error;
pub mod exit;
pub mod history;
mod near;
mod ranges;
pub mod report;
pub mod rules;
