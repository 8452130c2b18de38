//! Mistakes that only the compiler can detect, because it alone knows which traits the type
//! implements.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::plugin_type;
use crate::diagnostics::message;
use crate::input::Plugin;
use crate::policies::NamedEvent;
use crate::table::{RPCS, Rpc};

/// Returns assertions of constants, each at the offending tokens.
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
        .chain(unlisted(plugin))
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

fn named_is_handled(named: &NamedEvent) -> TokenStream {
    let at = named.at.span();
    let (fact, help) = named.unhandled();
    let (name, event) = (named.rpc.name, named.rpc.constant);
    let condition = if named.rpc.carries_event() {
        quote_spanned!(at=> __nri::takes(__NRI_FACTS, #event))
    } else {
        quote_spanned!(at=> __nri::handles(__NRI_FACTS, #name))
    };
    assert(at, condition, &message(&fact, &help))
}

fn is_not_newer(rpc: &Rpc, plugin: &Plugin) -> Option<TokenStream> {
    let protocol = plugin.protocol.as_ref()?;
    let (fact, help) = protocol.error_if_newer(rpc)?;
    let (at, name) = (protocol.written.span(), rpc.name);
    Some(assert(
        at,
        quote_spanned!(at=> !__nri::handles(__NRI_FACTS, #name)),
        &message(&fact, &help),
    ))
}

/// Returns a check that a type without parameters implements no handlers other than those listed.
fn unlisted(plugin: &Plugin) -> Vec<TokenStream> {
    let Some(handles) = plugin.handles.as_ref().filter(|_| !plugin.is_generic()) else {
        return Vec::new();
    };
    let this = plugin_type(plugin);
    let rpcs = RPCS.iter().filter(|rpc| handles.span(rpc).is_none());
    let rows = rpcs.map(|rpc| {
        let row = format_ident!("{}", rpc.constant);
        (
            rpc.name,
            quote!(__nri::Handlers::<#this>::#row.handler.is_none()),
        )
    });
    let connection = handles.connection.is_none().then(|| {
        (
            "Connection",
            quote!(__nri::Connections::<#this>::HOOKS.is_none()),
        )
    });
    let not_listed = |(name, is_absent): (&str, TokenStream)| {
        let fact = format!(
            "`{}` implements `{name}`, which `handles` does not list",
            plugin.ident
        );
        let help = format!(
            "add `{name}` to `handles`, or remove `handles`: the handlers of a type without parameters are detected"
        );
        let condition = quote! {{
            #[allow(unused_imports)]
            use __nri::{NoConnection as _, Unhandled as _};
            #[allow(deprecated)]
            { #is_absent }
        }};
        assert(plugin.ident.span(), condition, &message(&fact, &help))
    };
    rows.chain(connection).map(not_listed).collect()
}

fn assert(at: Span, condition: TokenStream, text: &str) -> TokenStream {
    quote_spanned!(at=> const _: () = ::core::assert!(#condition, #text);)
}
