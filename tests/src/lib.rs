//! Tests that need more than one crate of the NRI toolkit, or a real peer.
#![forbid(unsafe_code)]

pub mod buf;
pub mod compare;
pub mod compile;
pub mod outline;
