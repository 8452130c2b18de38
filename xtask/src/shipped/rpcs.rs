//! The facts about every RPC.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::rpc::{Plugin, PluginRpc};
use crate::tokens::option;
use nri_schema::history::Deprecation;
use nri_schema::model::Message;

pub(super) fn emit(plugin: &Plugin<'_>) -> TokenStream {
    let rpcs = &plugin.rpcs;
    let facts = rpcs.iter().map(|rpc| fact(rpc, plugin.state_change));
    let constants = rpcs.iter().map(|rpc| &rpc.constant);
    let newest = plugin.releases.last().copied().unwrap_or(plugin.revision);
    quote! {
        //! The facts about every RPC of the Plugin service.

        use super::Rpc;

        /// The newest NRI release that this crate knows.
        pub const PROTOCOL: &str = #newest;

        /// Every RPC of the Plugin service, in the order of the proto.
        pub static RPCS: &[&Rpc] = &[#(&rpc::#constants),*];

        /// The facts about each RPC.
        #[doc(hidden)]
        pub mod rpc {
            use crate::api::Event;
            use crate::plugin::{Deprecation, Rpc};
            #(#facts)*
        }
    }
}

fn fact(rpc: &PluginRpc<'_>, state_change: Option<&Message>) -> TokenStream {
    let PluginRpc { name, constant, since, .. } = rpc;
    let event = option(rpc.event.as_ref().map(|_| {
        let variant = format_ident!("{name}");
        quote!(Event::#variant)
    }));
    let event_name = option(rpc.event.as_ref().map(|(declared, _)| &declared.name));
    let event_since = option(rpc.event_first);
    let change_fields = option(
        state_change.filter(|_| rpc.in_state_change()).map(|change| change_fields(rpc, change)),
    );
    let deprecated = option(rpc.deprecation.map(deprecation));
    quote! {
        pub static #constant: Rpc = Rpc {
            name: #name,
            event: #event,
            event_name: #event_name,
            since: #since,
            event_since: #event_since,
            change_fields: #change_fields,
            deprecated: #deprecated,
        };
    }
}

/// Fields of the request with their numbers there and in the request of `StateChange`.
fn change_fields(rpc: &PluginRpc<'_>, change: &Message) -> TokenStream {
    let pairs = rpc.request.fields.iter().filter_map(|field| {
        let literal = |number: i32| u32::try_from(number).ok().map(Literal::u32_unsuffixed);
        let (own, there) = (literal(field.number)?, literal(change.field(&field.name)?.number)?);
        Some(quote!((#own, #there)))
    });
    quote!(&[#(#pairs),*])
}

fn deprecation(deprecation: &Deprecation) -> TokenStream {
    let since = deprecation.deprecated_in.nri.as_deref().unwrap_or_default();
    let when = &deprecation.removal.when;
    let nri = when.nri.iter().map(|release| format!("NRI {release}"));
    let runtimes = when.runtimes.iter().map(|(runtime, series)| format!("{runtime} {series}"));
    let removal = nri.chain(runtimes).collect::<Vec<_>>().join(", ");
    let instead = deprecation.replaced_by.iter().map(|(_, rpc)| rpc);
    quote!(Deprecation { since: #since, removal: #removal, instead: &[#(#instead),*] })
}
