//! Constants: the revision, its services, RPCs and events, and the release that added each.

use proc_macro2::TokenStream;
use quote::quote;

use super::messages::Messages;
use super::services::constant;
use super::verbatim::verbatim;
use super::{Input, deprecation};
use nri_schema::Error;
use nri_schema::history::EventHistory;
use nri_schema::model::{Event, Rpc, Service};

pub(super) fn emit(input: &Input<'_>, messages: &Messages) -> Result<TokenStream, Error> {
    let names = names(input);
    let types = verbatim(include_str!("verbatim/tables.rs"), input.options);
    let rpcs = rpcs(input, messages)?;
    let events = events(input, messages)?;
    Ok(quote! { #names #types #rpcs #events })
}

fn names(input: &Input<'_>) -> TokenStream {
    let release = input.compiled.release.as_ref();
    let revision = option(release.map(|release| release.revision.as_str()));
    let releases = input
        .history
        .releases()
        .iter()
        .filter(|known| release.is_some_and(|r| r.revision == known.revision))
        .map(|release| &release.name);
    let services = input.protocol.services.iter().map(|service| {
        let (constant, name) = (constant(&service.name), &service.full_name);
        let docs = format!(" Full name of service `{}`.", service.name);
        quote! { #[doc = #docs] pub const #constant: &str = #name; }
    });
    quote! {
        /// The NRI protocol revision; `None` for a proto that is not a known revision.
        pub const REVISION: ::core::option::Option<&str> = #revision;
        /// The NRI releases with this revision.
        pub const RELEASES: &[&str] = &[#(#releases),*];
        #(#services)*
    }
}

fn rpcs(input: &Input<'_>, messages: &Messages) -> Result<TokenStream, Error> {
    let mut rows = Vec::new();
    for service in &input.protocol.services {
        for rpc in &service.rpcs {
            rows.push(rpc_row(input, messages, service, rpc)?);
        }
    }
    Ok(quote! {
        /// Every RPC, in the order of the proto.
        pub const RPCS: &[Rpc] = &[#(#rows),*];
    })
}

fn rpc_row(
    input: &Input<'_>,
    messages: &Messages,
    service: &Service,
    rpc: &Rpc,
) -> Result<TokenStream, Error> {
    let constant = constant(&service.name);
    let method = &rpc.name;
    let carried = input.nri.event_of_rpc(method).filter(|_| service.name == "Plugin");
    let event = match carried.and_then(|event| messages.variant(event)) {
        Some(variant) => quote! { Some(Event::#variant) },
        None => option(None),
    };
    let first = input.history.since(input.revision, &rpc.full_name)?;
    let since = option(first.map(|release| release.name.as_str()));
    let deprecation = deprecation::of_rpc(input, &rpc.full_name);
    let deprecated = option(deprecation.and_then(|found| found.deprecated_in.nri.as_deref()));
    Ok(quote! {
        Rpc { service: #constant, method: #method, event: #event, since: #since, deprecated_since: #deprecated }
    })
}

fn events(input: &Input<'_>, messages: &Messages) -> Result<TokenStream, Error> {
    let mut rows = Vec::new();
    for event in &input.nri.events {
        if let Some(variant) = messages.variant(event) {
            let travelled = input.history.event(input.revision, event)?;
            rows.push(event_row(input, event, &quote! { Event::#variant }, &travelled));
        }
    }
    Ok(quote! {
        /// Every event, by number.
        pub const EVENTS: &[EventInfo] = &[#(#rows),*];
    })
}

fn event_row(
    input: &Input<'_>,
    event: &Event,
    variant: &TokenStream,
    travelled: &EventHistory,
) -> TokenStream {
    let Event { name, rpc_name, .. } = event;
    let bit = event.bit.cast_signed();
    let dedicated = input.nri.event_of_rpc(rpc_name).is_some();
    let rpc = if dedicated { rpc_name.as_str() } else { nri_schema::model::STATE_CHANGE };
    let since = option(travelled.since.as_deref());
    let rpc_since = option(travelled.rpc_since.as_deref());
    let state_change = match &travelled.state_change_since {
        Some(first) => {
            let until = option(travelled.state_change_until.as_deref());
            quote! { Some(StateChangeCoverage { since: #first, until: #until }) }
        }
        None => option(None),
    };
    quote! {
        EventInfo {
            event: #variant,
            name: #name,
            bit: #bit,
            rpc: #rpc,
            since: #since,
            rpc_since: #rpc_since,
            state_change: #state_change,
        }
    }
}

fn option(text: Option<&str>) -> TokenStream {
    match text {
        Some(text) => quote! { Some(#text) },
        None => quote! { None },
    }
}
