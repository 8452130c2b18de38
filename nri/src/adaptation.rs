//! The runtime side of NRI.

pub mod merge;
pub mod validate;
