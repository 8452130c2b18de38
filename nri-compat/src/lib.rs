//! The library behind the `nri-compat` command: protocol diffs today, plugin checks next.
#![forbid(unsafe_code)]

pub mod diff;
pub mod report;
pub mod rules;
