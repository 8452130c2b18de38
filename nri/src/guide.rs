//! Pages on questions that concern several parts of this crate.
//!
//! They have no items, only text and examples.

pub mod concurrency;
