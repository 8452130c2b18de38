//! The stage of every event in `nri`, the requests of events, and the changes in their answers.

use std::fmt::Debug;

use heck::ToUpperCamelCase;
use nri_schema::Error;
use nri_schema::model::{Field, FieldKind, Message};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::events::Stage;
use super::rpc::{Plugin, PluginRpc, ident};
use crate::tokens::{formatted, in_rows, option};

/// The fields of requests that a runtime fills in, with their types. `nri::lifecycle::RequestParts`
/// has a field for each.
const PARTS: &[(&str, &str)] = &[
    ("pod", "PodSandbox"),
    ("container", "Container"),
    ("overhead_linux_resources", "LinuxResources"),
    ("linux_resources", "LinuxResources"),
];

/// The fields of answers that change containers, with their types. `nri::lifecycle::Changes` has a
/// field for each.
const CHANGES: &[(&str, &str)] = &[
    ("adjust", "ContainerAdjustment"),
    ("update", "ContainerUpdate"),
    ("evict", "ContainerEviction"),
];

pub(super) fn emit(plugin: &Plugin<'_>, stages: &[Stage<'_>]) -> Result<String, Error> {
    let rows = stages.iter().map(row);
    let requests = each(stages, request)?;
    let changes = each(stages, changes)?;
    let others = others(plugin)?;
    let empty = stages
        .iter()
        .filter(|stage| is_empty(stage))
        .map(|stage| variant(stage.rpc))
        .chain(others.iter().cloned());
    let table = quote! {
        //! Every event of the protocol: its stage, its request, and the changes in its answer.

        use super::{ContainerStage, EventKind, RequestPart, Stage};
        #[cfg(feature = "in-process")]
        use super::{Changes, RequestParts};
        use crate::api::*;
        #[cfg(feature = "in-process")]
        use crate::codec::{DecodeError, Message};
        #[cfg(feature = "in-process")]
        use crate::plugin::AnyMessage;

        /// Every event, in the order in which a runtime sends them in the life of a pod with one
        /// container.
        pub static STAGES: &[Stage] = &[#(#rows),*];

        /// Returns the request of an event with these parts; `None` for an event without an RPC.
        #[cfg(feature = "in-process")]
        pub fn request(event: Event, parts: &RequestParts<'_>) -> Option<Box<dyn AnyMessage>> {
            let request: Box<dyn AnyMessage> = match event {
                #(#requests)*
                #(#others)|* => return None,
            };
            Some(request)
        }

        /// Returns the changes in an encoded answer to an event; `None` if answers to the event
        /// have none.
        ///
        /// # Errors
        ///
        /// Returns an error if the answer cannot be decoded.
        #[cfg(feature = "in-process")]
        pub fn changes(event: Event, answer: &[u8]) -> Result<Option<Changes>, DecodeError> {
            match event {
                #(#changes)*
                #(#empty)|* => Empty::decode(answer).map(|_| None),
            }
        }
    };
    Ok(in_rows(&formatted(&table), &["Stage {", "Event::"])
        .replace("=> { Box", "=> Box")
        .replace("}) }\n", "}),\n")
        .replace("\n        | ", " | "))
}

fn each(
    stages: &[Stage<'_>],
    arm: fn(&Stage<'_>) -> Result<TokenStream, Error>,
) -> Result<Vec<TokenStream>, Error> {
    stages.iter().map(arm).collect()
}

fn row(stage: &Stage<'_>) -> TokenStream {
    let event = variant(stage.rpc);
    let kind = variant_like(stage.kind);
    let container = option(stage.container.map(|container| {
        let container = variant_like(container);
        quote!(ContainerStage::#container)
    }));
    let parts = listed(&stage.rpc.request.fields, PARTS).map(|field| {
        let part = format_ident!("{}", field.name.to_upper_camel_case());
        let number = Literal::i32_unsuffixed(field.number);
        quote!((#number, RequestPart::#part))
    });
    quote! {
        Stage {
            event: #event,
            kind: EventKind::#kind,
            container: #container,
            parts: &[#(#parts),*],
        }
    }
}

fn request(stage: &Stage<'_>) -> Result<TokenStream, Error> {
    let message = stage.rpc.request;
    let (event, name) = (variant(stage.rpc), ident(&message.name)?);
    let fields = names(message, PARTS)?;
    let others = (fields.len() < message.fields.len()).then(|| quote!(..#name::default()));
    Ok(quote! {
        #event => Box::new(#name { #(#fields: parts.#fields.cloned(),)* #others }),
    })
}

/// Returns the arm of an event whose answer has fields.
fn changes(stage: &Stage<'_>) -> Result<TokenStream, Error> {
    if is_empty(stage) {
        return Ok(TokenStream::new());
    }
    let message = stage.rpc.response;
    let (event, name) = (variant(stage.rpc), ident(&message.name)?);
    let fields = names(message, CHANGES)?;
    if fields.is_empty() {
        return Ok(quote! {
            #event => #name::decode(answer).map(|_| None),
        });
    }
    let others = (fields.len() < CHANGES.len()).then(|| quote!(..Changes::default()));
    Ok(quote! {
        #event => #name::decode(answer).map(|answer| Some(Changes { #(#fields: answer.#fields,)* #others })),
    })
}

/// Returns the name of the variant of an enum of `nri` from that of the variant of the same name
/// here.
fn variant_like(variant: impl Debug) -> Ident {
    format_ident!("{}", format!("{variant:?}"))
}

fn is_empty(stage: &Stage<'_>) -> bool {
    stage.rpc.response.fields.is_empty()
}

fn variant(rpc: &PluginRpc<'_>) -> TokenStream {
    let name = format_ident!("{}", rpc.name);
    quote!(Event::#name)
}

/// Returns the variants of `Event` without an RPC: its zero value, and events of StateChange alone.
fn others(plugin: &Plugin<'_>) -> Result<Vec<TokenStream>, Error> {
    let events = plugin.protocol.nri.iter().flat_map(|nri| &nri.events);
    let has_rpc = |name: &str| plugin.rpcs.iter().any(|rpc| rpc.name == name);
    let without = events.map(|event| event.rpc_name.as_str()).filter(|name| !has_rpc(name));
    std::iter::once("Unknown")
        .chain(without)
        .map(|name| {
            let name = ident(name)?;
            Ok(quote!(Event::#name))
        })
        .collect()
}

fn names(message: &Message, known: &[(&str, &str)]) -> Result<Vec<Ident>, Error> {
    listed(&message.fields, known).map(|field| ident(&field.name)).collect()
}

/// Returns the fields of these names and types.
fn listed<'m>(
    fields: &'m [Field],
    known: &'m [(&'m str, &'m str)],
) -> impl Iterator<Item = &'m Field> {
    fields.iter().filter(|field| {
        let FieldKind::Message(full_name) = &field.kind else {
            return false;
        };
        let ty = full_name.rsplit('.').next().unwrap_or_default();
        known.contains(&(field.name.as_str(), ty))
    })
}
