//! What is the same in every revision: Rust files in the folder `verbatim`, which go into the output as they are.
//!
//! As files, and not in `quote!`, they cost a build script that depends on this crate nothing to compile.

use proc_macro2::TokenStream;

/// The tokens of one of these files.
pub(super) fn verbatim(source: &str) -> TokenStream {
    source.parse().expect("the files of this crate are Rust")
}
