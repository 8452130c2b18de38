//! The parts that are the same in every revision: Rust files in the folder `verbatim`, copied into
//! the output.
//!
//! As files instead of `quote!`, they add nothing to the compile time of a build script.

use proc_macro2::TokenStream;
use quote::quote;

use super::Options;

/// Returns the tokens of one of these files, with the path of `prost` from the options.
pub(super) fn verbatim(source: &str, options: &Options) -> TokenStream {
    let prost = options.prost();
    source
        .replace("::prost::", &format!("{}::", quote!(#prost)))
        .parse()
        .expect("the files of this crate are Rust")
}
