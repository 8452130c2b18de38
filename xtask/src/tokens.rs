//! Tokens of generated code.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Returns the source of a module, formatted.
pub(crate) fn formatted(module: &TokenStream) -> String {
    match syn::parse2(module.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => module.to_string(),
    }
}

/// Returns the tokens `Some(…)` or `None`.
pub(crate) fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}
