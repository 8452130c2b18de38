//! The client of a service, over any transport that carries bytes.

use proc_macro2::TokenStream;
use quote::quote;

use super::services::{Emitted, Method};
use super::verbatim::verbatim;

/// What a client needs of a transport.
pub(super) fn transport() -> TokenStream {
    verbatim(include_str!("verbatim/transport.rs"))
}

pub(super) fn emit(service: &Emitted) -> TokenStream {
    let Emitted {
        client,
        full_name,
        constant,
        ..
    } = service;
    let docs = format!(" Client of service `{full_name}`, over a transport.");
    let methods = service
        .methods
        .iter()
        .map(|method| emit_method(service, method));
    quote! {
        #[doc = #docs]
        #[derive(Clone, Debug, Default)]
        pub struct #client<C> {
            transport: C,
        }

        impl<C> #client<C> {
            /// The service that is called, by its full name.
            pub const SERVICE: &'static str = #constant;

            /// A client over this transport.
            pub const fn new(transport: C) -> Self {
                Self { transport }
            }

            /// The transport.
            pub const fn transport(&self) -> &C {
                &self.transport
            }

            /// The transport, the client given up.
            pub fn into_transport(self) -> C {
                self.transport
            }
        }

        impl<C: Call> #client<C> { #(#methods)* }
    }
}

fn emit_method(service: &Emitted, method: &Method) -> TokenStream {
    let Method {
        name,
        proto_name,
        request,
        response,
        docs,
        deprecated,
        ..
    } = method;
    let constant = &service.constant;
    quote! {
        #docs
        ///
        /// # Errors
        ///
        /// What the transport or the peer answers; INTERNAL (13) if the answer does not decode.
        #deprecated
        pub async fn #name(&self, request: &#request) -> ::core::result::Result<#response, C::Error> {
            let answer = self.transport.call(#constant, #proto_name, encode(request)).await?;
            Ok(decode::<#response>(&answer, Code::INTERNAL)?)
        }
    }
}
