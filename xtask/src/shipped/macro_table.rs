//! The table of `nri-macros`: names, signatures, releases, and what `StateChange` covers.

use proc_macro2::TokenStream;
use quote::quote;

use super::events::Stage;
use super::rpc::{Plugin, PluginRpc};
use super::shape::{Argument, answer, arguments};
use crate::tokens::{option, source};
use nri_schema::Error;

pub(super) fn emit(plugin: &Plugin<'_>, stages: &[Stage<'_>]) -> Result<TokenStream, Error> {
    let rows = plugin.rpcs.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    let releases = &plugin.releases;
    let life = stages.iter().map(|stage| stage.rpc.name);
    Ok(quote! {
        //! The RPCs that a plugin can handle, and the releases of NRI.

        /// One RPC of the Plugin service.
        pub(crate) struct Rpc {
            /// The name of the RPC and its handler trait.
            pub(crate) name: &'static str,
            /// The name of its constants, and of its event if it carries one.
            pub(crate) constant: &'static str,
            /// The release that added its event; `None` for an RPC without an event.
            pub(crate) event_since: Option<&'static str>,
            /// True if StateChange carries the event too.
            pub(crate) in_state_change: bool,
            /// True if the RPC is deprecated.
            pub(crate) deprecated: bool,
            /// The name and type of each argument of the handler, without the context.
            pub(crate) arguments: &'static [(&'static str, &'static str)],
            /// The type of the answer of the handler.
            pub(crate) answer: &'static str,
        }

        /// Every RPC of the Plugin service, in the order of the proto.
        pub(crate) const RPCS: &[Rpc] = &[#(#rows),*];

        /// The RPC of each event, in the order of the life of a pod with one container.
        pub(crate) const LIFE: &[&str] = &[#(#life),*];

        /// Every tagged release of NRI that has this service, oldest first.
        pub(crate) const RELEASES: &[&str] = &[#(#releases),*];
    })
}

fn row(rpc: &PluginRpc<'_>) -> Result<TokenStream, Error> {
    let (name, constant) = (rpc.name, rpc.constant.to_string());
    let event_since =
        option(rpc.event.as_ref().and_then(|(_, travelled)| travelled.since.as_ref()));
    let (in_state_change, deprecated) = (rpc.in_state_change(), rpc.deprecation.is_some());
    let all = arguments(rpc)?;
    let arguments = all.iter().map(argument);
    let answer = source(&answer(rpc)?.ty);
    Ok(quote! {
        Rpc {
            name: #name,
            constant: #constant,
            event_since: #event_since,
            in_state_change: #in_state_change,
            deprecated: #deprecated,
            arguments: &[#(#arguments),*],
            answer: #answer,
        }
    })
}

/// Returns the name and the type of an argument.
fn argument(argument: &Argument) -> TokenStream {
    let (name, ty) = (argument.name.to_string(), source(&argument.ty));
    quote!((#name, #ty))
}
