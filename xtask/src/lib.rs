//! Maintenance of this repository: adds releases, writes generated files, checks them for drift.
//!
//! [`generate`] lists every generated file that is committed, [`shipped`] writes those of `nri`, `nri-macros` and
//! `nri-compat`, and [`import`] adds a release and with it a protocol revision.
#![forbid(unsafe_code)]

pub mod generate;
pub mod import;
pub mod shipped;
