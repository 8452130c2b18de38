//! Tests of `#[derive(NriPlugin)]` from the view of a plugin's crate. This is a separate package,
//! because trybuild builds every dependency of its package again.
#![forbid(unsafe_code)]
