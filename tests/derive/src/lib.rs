//! Tests of `#[derive(NriPlugin)]` as a plugin's crate sees it. A package of its own, as trybuild builds every
//! dependency of its package once more.
#![forbid(unsafe_code)]
