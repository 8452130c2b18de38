//! The table of `nri-macros`: names, releases, and what `StateChange` covers.

use proc_macro2::TokenStream;
use quote::quote;

use super::rpc::{Plugin, Rpc};
use crate::tokens::option;

pub(super) fn emit(plugin: &Plugin<'_>) -> TokenStream {
    let rows = plugin.rpcs.iter().map(row);
    let releases = &plugin.releases;
    quote! {
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
        }

        /// Every RPC of the Plugin service, in the order of the proto.
        pub(crate) const RPCS: &[Rpc] = &[#(#rows),*];

        /// Every tagged release of NRI that has this service, oldest first.
        pub(crate) const RELEASES: &[&str] = &[#(#releases),*];
    }
}

fn row(rpc: &Rpc<'_>) -> TokenStream {
    let (name, constant) = (rpc.name, rpc.constant.to_string());
    let event_since =
        option(rpc.event.as_ref().and_then(|(_, travelled)| travelled.since.as_ref()));
    let (in_state_change, deprecated) = (rpc.in_state_change(), rpc.deprecation.is_some());
    quote! {
        Rpc {
            name: #name,
            constant: #constant,
            event_since: #event_since,
            in_state_change: #in_state_change,
            deprecated: #deprecated,
        }
    }
}
