//! The dispatch table: detected by the compiler, or as listed in `handles(…)`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::assertions::unlisted_in_impl;
use super::option;
use crate::handles::Handles;
use crate::input::Plugin;
use crate::table::{RPCS, Rpc};

/// Returns the constants of the impl: the facts, and for a type that is not generic the table.
pub(super) fn items(plugin: &Plugin) -> TokenStream {
    match &plugin.handles {
        Some(handles) => listed_facts(handles),
        None => detected(plugin),
    }
}

/// Returns the table of the impl.
pub(super) fn value(plugin: &Plugin) -> TokenStream {
    let Some(handles) = &plugin.handles else {
        return quote!(__NRI_TABLE);
    };
    let rows = RPCS.iter().map(|rpc| listed_row(rpc, handles));
    let unlisted = unlisted_in_impl(plugin);
    quote!({
        #unlisted
        &[#(#rows),*]
    })
}

/// Returns the hooks of the impl.
pub(super) fn connection(plugin: &Plugin) -> TokenStream {
    match &plugin.handles {
        None => quote!(__NRI_CONNECTION),
        Some(handles) => {
            option(handles.connection.map(|at| quote_spanned!(at=> __nri::hook::<Self>)))
        }
    }
}

/// Returns a detected row: `Handlers::<T>::X` is the inherent constant if the type implements the
/// trait, otherwise the one of `Unhandled`.
fn detected(plugin: &Plugin) -> TokenStream {
    let this = &plugin.this;
    let rows = RPCS.iter().map(|rpc| detected_row(rpc, plugin));
    let count = RPCS.len();
    quote! {
        #[allow(unused_imports)]
        use __nri::{NoConnection as _, Unhandled as _};
        const __NRI_TABLE: &[__nri::Row<#this>] = &[#(#rows),*];
        const __NRI_FACTS: &[__nri::Fact] = &__nri::Fact::of_table::<#this, #count>(__NRI_TABLE);
        const __NRI_CONNECTION: ::core::option::Option<__nri::Hook<#this>> =
            __nri::Connections::<#this>::HOOK;
    }
}

/// Returns a row of the table. A deprecated row has the span of the type's name, so that rustc's
/// lint warns there; it ignores tokens that a derive made.
fn detected_row(rpc: &Rpc, plugin: &Plugin) -> TokenStream {
    let at = if rpc.deprecated { plugin.ident.span() } else { Span::call_site() };
    let (this, constant) = (&plugin.this, Ident::new(rpc.constant, at));
    quote_spanned!(at=> __nri::Handlers::<#this>::#constant)
}

fn listed_row(rpc: &Rpc, handles: &Handles) -> TokenStream {
    let constant = constant(rpc);
    match handles.implemented(rpc) {
        Some(at) => {
            let row = Ident::new(&rpc.constant.to_lowercase(), at);
            quote_spanned!(at=> __nri::add_missing_bounds_with_nri_bound::#row::<Self>())
        }
        None => quote!(__nri::Row::unhandled(&__nri::rpc::#constant)),
    }
}

fn listed_facts(handles: &Handles) -> TokenStream {
    let facts = RPCS.iter().map(|rpc| {
        let (constant, handled) = (constant(rpc), handles.span(rpc).is_some());
        quote!(__nri::Fact::new(&__nri::rpc::#constant, #handled))
    });
    quote!(const __NRI_FACTS: &[__nri::Fact] = &[#(#facts),*];)
}

fn constant(rpc: &Rpc) -> Ident {
    format_ident!("{}", rpc.constant)
}
