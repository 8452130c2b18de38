//! The client of a service, over any transport for bytes.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::Options;
use super::services::{Emitted, Method};
use super::verbatim::verbatim;

/// Returns the trait of a transport.
pub(super) fn transport(options: &Options) -> TokenStream {
    verbatim(include_str!("verbatim/transport.rs"), options)
}

pub(super) fn emit(service: &Emitted, generic: &Ident) -> TokenStream {
    let Emitted { client, full_name, constant, .. } = service;
    let docs = format!(" Client of service `{full_name}`, over a transport.");
    let methods = service.methods.iter().map(|method| emit_method(service, method, generic));
    quote! {
        #[doc = #docs]
        #[derive(Clone, Debug, Default)]
        pub struct #client<#generic> {
            transport: #generic,
        }

        impl<#generic> #client<#generic> {
            /// The full name of the service.
            pub const SERVICE: &'static str = #constant;

            /// Creates a client that uses this transport.
            pub const fn new(transport: #generic) -> Self {
                Self { transport }
            }

            /// Returns the transport.
            pub const fn transport(&self) -> &#generic {
                &self.transport
            }

            /// Returns the transport and drops the client.
            pub fn into_transport(self) -> #generic {
                self.transport
            }
        }

        impl<#generic: Call> #client<#generic> { #(#methods)* }
    }
}

fn emit_method(service: &Emitted, method: &Method, generic: &Ident) -> TokenStream {
    let Method { name, proto_name, request, response, docs, deprecated, .. } = method;
    let constant = &service.constant;
    quote! {
        #docs
        ///
        /// # Errors
        ///
        /// Returns the error of the transport or the status in the answer of the peer; INTERNAL
        /// (13) if the answer cannot be decoded.
        #deprecated
        pub async fn #name(&self, request: &#request) -> ::core::result::Result<#response, #generic::Error> {
            let answer = Call::call(&self.transport, #constant, #proto_name, encode(request)).await?;
            Ok(decode::<#response>(&answer, Code::INTERNAL)?)
        }
    }
}
