//! The facts about every RPC, and the code between a dispatch table and the handler traits.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use super::rpc::{Plugin, Rpc};
use super::shape::{
    Argument, answer, arguments, conversion_of_updates, field_of_type, takes_whole,
};
use crate::tokens::option;
use nri_schema::Error;
use nri_schema::history::Deprecation;
use nri_schema::model::Message;

pub(super) fn emit(plugin: &Plugin<'_>) -> Result<TokenStream, Error> {
    let rpcs = &plugin.rpcs;
    let facts = rpcs.iter().map(|rpc| fact(rpc, plugin.state_change));
    let constants = rpcs.iter().map(|rpc| &rpc.constant);
    let newest = plugin.releases.last().copied().unwrap_or(plugin.revision);
    let rows = rpcs.iter().map(row);
    let handlers = handlers(rpcs);
    let calls = rpcs
        .iter()
        .map(|rpc| call(rpc, shared_request(rpc, rpcs)))
        .collect::<Result<Vec<_>, _>>()?;
    let conversions = rpcs.iter().map(conversion_of_updates);
    let conversions = conversions.collect::<Result<Vec<_>, _>>()?;
    Ok(quote! {
        //! The basis of `#[derive(NriPlugin)]`: facts about every RPC, and the functions that decode requests and call handlers.

        use crate::adjust::Updates;
        use crate::api::handlers::*;
        use crate::api::*;
        use crate::plugin::{
            Call, Config, Deprecation, Payload, Row, Rpc, Subject, decode, part_or_default,
        };
        use crate::{EventContext, Result};

        /// The newest NRI release that this crate knows.
        pub const PROTOCOL: &str = #newest;

        /// Every RPC of the Plugin service, in the order of the proto.
        pub static RPCS: &[&Rpc] = &[#(&rpc::#constants),*];

        /// The facts about each RPC.
        pub mod rpc {
            use super::{Deprecation, Event, Rpc};
            #(#facts)*
        }

        /// The rows of types that list their handlers. The compiler names this path in the error
        /// about a missing bound of a handler impl.
        pub mod add_missing_bounds_with_nri_bound {
            use super::*;
            #(#rows)*
        }

        #handlers
        #(#calls)*
        #(#conversions)*
    })
}

fn fact(rpc: &Rpc<'_>, state_change: Option<&Message>) -> TokenStream {
    let Rpc {
        name,
        constant,
        since,
        ..
    } = rpc;
    let event = option(rpc.event.as_ref().map(|_| {
        let variant = format_ident!("{name}");
        quote!(Event::#variant)
    }));
    let event_name = option(rpc.event.as_ref().map(|(event, _)| &event.name));
    let event_since = option(rpc.event_first);
    let change_fields = option(
        state_change
            .filter(|_| rpc.in_state_change())
            .map(|change| change_fields(rpc, change)),
    );
    let deprecated = option(rpc.deprecation.map(deprecation));
    let docs = docs(rpc);
    quote! {
        #docs
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

fn docs(rpc: &Rpc<'_>) -> TokenStream {
    let docs = format!(" `{}`.", rpc.name);
    quote!(#[doc = #docs])
}

/// Fields of the request with their numbers there and in the request of `StateChange`.
fn change_fields(rpc: &Rpc<'_>, change: &Message) -> TokenStream {
    let pairs = rpc.request.fields.iter().filter_map(|own| {
        let number = |number: i32| u32::try_from(number).ok();
        let (own, there) = (
            number(own.number)?,
            number(change.field(&own.name)?.number)?,
        );
        Some(quote!((#own, #there)))
    });
    quote!(&[#(#pairs),*])
}

fn deprecation(deprecation: &Deprecation) -> TokenStream {
    let since = deprecation.deprecated_in.nri.as_deref().unwrap_or_default();
    let removal = &deprecation.removal.when;
    let nri = removal.nri.iter().map(|release| format!("NRI {release}"));
    let runtimes = removal
        .runtimes
        .iter()
        .map(|(runtime, series)| format!("{runtime} {series}"));
    let removal = nri.chain(runtimes).collect::<Vec<_>>().join(", ");
    let instead = deprecation.replaced_by.iter().map(|(_, rpc)| rpc);
    quote!(Deprecation { since: #since, removal: #removal, instead: &[#(#instead),*] })
}

/// Generates each constant twice: in a blanket trait, and in an inherent impl, which hides the
/// first where its bound holds.
fn handlers(rpcs: &[Rpc<'_>]) -> TokenStream {
    let unhandled = rpcs.iter().map(|rpc| {
        let (docs, constant) = (docs(rpc), &rpc.constant);
        quote!(#docs const #constant: Row<T> = Row::unhandled(&rpc::#constant);)
    });
    let handled = rpcs.iter().map(|rpc| {
        let Rpc {
            handler,
            method,
            constant,
            ..
        } = rpc;
        let (docs, deprecated) = (
            docs(rpc),
            rpc.deprecation.map(|deprecation| lint(rpc, deprecation)),
        );
        quote! {
            impl<T: #handler + 'static> Handlers<T> {
                #docs
                #deprecated
                pub const #constant: Row<T> = Row::handled(&rpc::#constant, #method::<T>);
            }
        }
    });
    quote! {
        /// The handlers of `T`: a constant for each RPC. A constant here, for an RPC that `T`
        /// handles, hides the constant with the same name in [`Unhandled`].
        pub struct Handlers<T>(std::marker::PhantomData<T>);

        /// The fallback of [`Handlers`].
        pub trait Unhandled<T: 'static> {
            #(#unhandled)*
        }

        impl<T: 'static> Unhandled<T> for Handlers<T> {}

        #(#handled)*
    }
}

fn row(rpc: &Rpc<'_>) -> TokenStream {
    let Rpc {
        handler,
        method,
        constant,
        ..
    } = rpc;
    let (docs, deprecated) = (
        docs(rpc),
        rpc.deprecation.map(|deprecation| lint(rpc, deprecation)),
    );
    quote! {
        #docs
        #deprecated
        pub const fn #method<T: #handler + 'static>() -> Row<T> {
            Row::handled(&rpc::#constant, super::#method::<T>)
        }
    }
}

/// Returns the attribute with which rustc warns authors of plugins that handle a deprecated RPC.
fn lint(rpc: &Rpc<'_>, deprecation: &Deprecation) -> TokenStream {
    let since = deprecation.deprecated_in.nri.as_deref().unwrap_or_default();
    let outlook = deprecation
        .outlook()
        .map(|outlook| format!(", its {outlook}"))
        .unwrap_or_default();
    let instead: Vec<_> = deprecation
        .replaced_by
        .iter()
        .map(|(_, rpc)| rpc.as_str())
        .collect();
    let remedy = if instead.is_empty() {
        deprecation.remedy.clone()
    } else {
        format!(
            "implement the handlers of the events that the plugin needs instead: {}",
            instead.join(", ")
        )
    };
    let note = format!(
        "{} is deprecated since NRI {since}{outlook}; {remedy}",
        rpc.name
    );
    let since = since.trim_start_matches('v');
    quote!(#[deprecated(since = #since, note = #note)])
}

/// Returns the first request with the same fields, whose decoder this request shares.
fn shared_request<'r>(rpc: &Rpc<'r>, rpcs: &[Rpc<'r>]) -> &'r Message {
    let fields = |message: &Message| {
        let fields = message.fields.iter();
        let fields = fields.map(|field| {
            (
                field.number,
                field.name.clone(),
                field.kind.clone(),
                field.label,
            )
        });
        fields.collect::<Vec<_>>()
    };
    let own = fields(rpc.request);
    let mut same = rpcs.iter().map(|other| other.request);
    same.find(|other| fields(other) == own)
        .unwrap_or(rpc.request)
}

fn call(rpc: &Rpc<'_>, shared: &Message) -> Result<TokenStream, Error> {
    let Rpc {
        name,
        handler,
        method,
        ..
    } = rpc;
    let request = super::rpc::ident(&rpc.request.name)?;
    let subject = |ty| match field_of_type(rpc, ty) {
        Some(field) => quote!(request.#field.as_ref()),
        None => quote!(None),
    };
    let (pod, container) = (subject("PodSandbox"), subject("Container"));
    let arguments = arguments(rpc)?;
    let values = arguments.iter().map(|Argument { value, .. }| value);
    let binding = if arguments.is_empty() {
        quote!(_)
    } else {
        quote!(request)
    };
    let respond = answer(rpc)?.respond;
    let (shared, conversion) = conversion(rpc, &request, shared)?;
    Ok(quote! {
        fn #method<'a, T: #handler + 'static>(plugin: &'a T, cx: &'a EventContext, payload: Payload<'_>) -> Result<Call<'a>> {
            let #binding: #shared = decode(#name, payload, #conversion)?;
            let subject = Subject::new(#pod, #container);
            let handler = plugin.#method(cx, #(#values),*);
            Ok(Call::new(cx, subject, handler, #respond))
        }
    })
}

/// Returns the type to decode a request as, and a function that converts the request to it.
fn conversion(
    rpc: &Rpc<'_>,
    request: &Ident,
    shared: &Message,
) -> Result<(Ident, TokenStream), Error> {
    if shared.name == rpc.request.name || takes_whole(rpc)? {
        return Ok((request.clone(), quote!(|request: #request| request)));
    }
    let shared = super::rpc::ident(&shared.name)?;
    let fields = rpc
        .request
        .fields
        .iter()
        .map(|field| super::rpc::ident(&field.name));
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let conversion = quote!(|#request { #(#fields),* }| #shared { #(#fields),* });
    Ok((shared, conversion))
}
