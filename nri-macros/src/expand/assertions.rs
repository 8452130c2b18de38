//! Mistakes that only the compiler can see, as it alone knows which traits the type implements.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::diagnostics::message;
use crate::input::{Plugin, newer_than};
use crate::policies::Named;
use crate::table::{RPCS, Rpc};

/// Assertions of constants, each on the tokens at fault.
pub(super) fn assertions(plugin: &Plugin) -> TokenStream {
    let has_handler = has_handler(plugin);
    let detected = plugin.handles.is_none();
    let named = plugin
        .policies
        .named
        .iter()
        .filter(|_| detected)
        .map(named_is_handled);
    let not_newer = RPCS
        .iter()
        .filter(|_| detected)
        .filter_map(|rpc| is_not_newer(rpc, plugin));
    std::iter::once(has_handler)
        .chain(named)
        .chain(not_newer)
        .collect()
}

fn has_handler(plugin: &Plugin) -> TokenStream {
    let name = &plugin.ident;
    let help = match &plugin.handles {
        None => format!("implement a handler trait, such as `impl RunPodSandbox for {name}`"),
        Some(_) => "list one in `handles(…)`, such as `RunPodSandbox`".to_owned(),
    };
    let text = message(&format!("`{name}` handles no event"), &help);
    assert(
        name.span(),
        quote_spanned!(name.span()=> __nri::handles_any(__NRI_FACTS)),
        &text,
    )
}

fn named_is_handled(named: &Named) -> TokenStream {
    let at = named.at.span();
    let (fact, help) = named.unhandled();
    let event = named.rpc.constant;
    assert(
        at,
        quote_spanned!(at=> __nri::takes(__NRI_FACTS, #event)),
        &message(&fact, &help),
    )
}

fn is_not_newer(rpc: &Rpc, plugin: &Plugin) -> Option<TokenStream> {
    let protocol = plugin.protocol.as_ref()?;
    let (fact, help) = newer_than(rpc, protocol)?;
    let (at, name) = (protocol.written.span(), rpc.name);
    Some(assert(
        at,
        quote_spanned!(at=> !__nri::handles(__NRI_FACTS, #name)),
        &message(&fact, &help),
    ))
}

fn assert(at: Span, condition: TokenStream, text: &str) -> TokenStream {
    quote_spanned!(at=> const _: () = ::core::assert!(#condition, #text);)
}
