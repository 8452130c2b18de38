//! The code between a dispatch table and the handler traits.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::rpc::{Plugin, Rpc};
use super::rpcs::docs;
use super::shape::{
    Argument, answer, arguments, conversion_of_updates, field_of_type, takes_whole,
};
use nri_schema::Error;
use nri_schema::history::Deprecation;
use nri_schema::model::Message;

pub(super) fn emit(plugin: &Plugin<'_>) -> Result<TokenStream, Error> {
    let rpcs = &plugin.rpcs;
    let rows = rpcs.iter().map(row);
    let handlers = handlers(rpcs);
    let calls = rpcs
        .iter()
        .map(|rpc| call(rpc, shared_request(rpc, rpcs)))
        .collect::<Result<Vec<_>, _>>()?;
    let conversions = rpcs.iter().map(conversion_of_updates);
    let conversions = conversions.collect::<Result<Vec<_>, _>>()?;
    Ok(quote! {
        //! The basis of `#[derive(NriPlugin)]`: the functions that decode requests and call handlers.

        use super::handlers::*;
        use super::rpcs::rpc;
        use super::{Call, Config, Payload, Row, Subject, decode, part_or_default};
        use crate::adjust::Updates;
        use crate::api::*;
        use crate::{EventContext, Result};

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
