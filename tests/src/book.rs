//! The Rust code in the book, which doc tests compile.

#[doc = include_str!("../../docs/src/plugins/new.md")]
mod new_plugin {}

#[doc = include_str!("../../docs/src/adopt.md")]
mod adopt {}
