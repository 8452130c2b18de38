//! `#[derive(NriPlugin)]`.
#![forbid(unsafe_code)]

mod attributes;
mod diagnostics;
mod expand;
mod input;
mod manifest;
mod policies;
mod release;
mod table;

use proc_macro::TokenStream;

/// Makes a type a plugin.
#[proc_macro_derive(NriPlugin, attributes(nri))]
pub fn derive_nri_plugin(input: TokenStream) -> TokenStream {
    derive(input.into()).into()
}

/// Attributes, checked input, expansion; with an error for everything that is wrong, and the impl all the same.
fn derive(input: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let input: syn::DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut diagnostics = diagnostics::Diagnostics::default();
    let attributes = attributes::parse(&input.attrs, &mut diagnostics);
    let plugin = input::check(&input, attributes, &mut diagnostics);
    expand::expand(&plugin, diagnostics)
}
