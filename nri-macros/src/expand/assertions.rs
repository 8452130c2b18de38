//! Mistakes that only the compiler can detect, because it alone knows which traits the type
//! implements.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::LitStr;

use crate::diagnostics::message;
use crate::handles::Source;
use crate::input::Plugin;
use crate::policies::NamedEvent;
use crate::table::{RPCS, Rpc};

/// Returns assertions of constants, each at the offending tokens.
pub(super) fn assertions(plugin: &Plugin) -> TokenStream {
    let has_handler = has_handler(plugin);
    let named = plugin.policies.named.iter().map(named_is_handled);
    let not_newer = RPCS.iter().filter_map(|rpc| is_not_newer(rpc, plugin));
    let detected = plugin.handles.is_none();
    let of_detected = named.chain(not_newer).filter(|_| detected);
    std::iter::once(has_handler)
        .chain(of_detected)
        .chain(plugin.policies.required_fields.iter().map(field_exists))
        .chain(unlisted(plugin))
        .collect()
}

fn has_handler(plugin: &Plugin) -> TokenStream {
    let name = &plugin.ident;
    let help = match plugin.handles.as_ref().map(|handles| &handles.source) {
        None => format!("implement a handler trait, such as `impl RunPodSandbox for {name}`"),
        Some(Source::List) => "list one in `handles(…)`, such as `RunPodSandbox`".to_owned(),
        Some(Source::Block) => "add one, such as `async fn run_pod_sandbox`".to_owned(),
    };
    let text = message(&format!("`{name}` handles no event"), &help);
    assert(name.span(), quote_spanned!(name.span()=> !__nri::events(__NRI_FACTS).is_empty()), &text)
}

fn named_is_handled(named: &NamedEvent) -> TokenStream {
    let at = named.at.span();
    let (fact, help) = named.unhandled();
    let name = named.rpc.name;
    let condition = if named.rpc.carries_event() {
        quote_spanned!(at=> __nri::takes(__NRI_FACTS, #name))
    } else {
        quote_spanned!(at=> __nri::handles(__NRI_FACTS, #name))
    };
    assert(at, condition, &message(&fact, &help))
}

fn field_exists(path: &LitStr) -> TokenStream {
    let at = path.span();
    let fact = format!(
        "{} is not a field that a release of NRI has added to the answer to CreateContainer",
        path.to_token_stream()
    );
    let help = "write the path of the field from the answer, such as \"adjust.CDI_devices\"; every \
                release has a field that none has added";
    let condition = quote_spanned!(at=> __nri::RequiredField::find(#path).is_some());
    assert(at, condition, &message(&fact, help))
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

/// Returns checks that a type without parameters implements no handlers other than those listed.
fn unlisted(plugin: &Plugin) -> Vec<TokenStream> {
    if plugin.is_generic() {
        return Vec::new();
    }
    let conditions = unlisted_conditions(plugin, &plugin.this);
    let assertion =
        |(condition, text): (TokenStream, String)| assert(plugin.ident.span(), condition, &text);
    conditions.into_iter().map(assertion).collect()
}

/// Returns the same checks for a type with parameters: statements for a constant of the impl, which
/// are evaluated for each type that the program uses. A handler whose bounds the impl does not have
/// is not found.
pub(super) fn unlisted_in_impl(plugin: &Plugin) -> TokenStream {
    if !plugin.is_generic() {
        return TokenStream::new();
    }
    let conditions = unlisted_conditions(plugin, &quote!(Self));
    let statement = |(condition, text): (TokenStream, String)| quote_spanned!(plugin.ident.span()=> ::core::assert!(#condition, #text););
    conditions.into_iter().map(statement).collect()
}

/// Returns the condition that each handler is absent which `handles(…)` does not list, with the
/// message otherwise.
fn unlisted_conditions(plugin: &Plugin, this: &TokenStream) -> Vec<(TokenStream, String)> {
    let Some(handles) = &plugin.handles else {
        return Vec::new();
    };
    let rpcs = RPCS.iter().filter(|rpc| handles.span(rpc).is_none());
    let rows = rpcs.map(|rpc| {
        let row = format_ident!("{}", rpc.constant);
        let is_absent = quote!(__nri::Handlers::<#this>::#row.handler.is_none());
        (rpc.name, is_absent)
    });
    let connection = handles.connection.is_none().then(|| {
        let is_absent = quote!(__nri::Connections::<#this>::HOOK.is_none());
        ("Connection", is_absent)
    });
    rows.chain(connection)
        .map(|(name, is_absent)| {
            let text = match handles.source {
                Source::List => unlisted_text(plugin, name),
                Source::Block => outside_text(plugin, name),
            };
            (absence(&is_absent), text)
        })
        .collect()
}

fn absence(is_absent: &TokenStream) -> TokenStream {
    quote! {{
        #[allow(unused_imports)]
        use __nri::{NoConnection as _, Unhandled as _};
        #[allow(deprecated)]
        { #is_absent }
    }}
}

fn unlisted_text(plugin: &Plugin, name: &str) -> String {
    let fact = format!("`{}` implements `{name}`, which `handles` does not list", plugin.ident);
    let help = if plugin.is_generic() {
        format!("add `{name}` to `handles`")
    } else {
        format!(
            "add `{name}` to `handles`, or remove `handles`: the handlers of a type without parameters are detected"
        )
    };
    message(&fact, &help)
}

fn outside_text(plugin: &Plugin, name: &str) -> String {
    let fact =
        format!("`{}` implements `{name}` outside of the block of `nri::plugin`", plugin.ident);
    message(&fact, "move its methods into the block")
}

fn assert(at: Span, condition: TokenStream, text: &str) -> TokenStream {
    quote_spanned!(at=> const _: () = ::core::assert!(#condition, #text);)
}
