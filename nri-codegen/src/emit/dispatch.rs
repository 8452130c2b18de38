//! The transport-independent dispatcher of a service: takes a method and bytes, returns bytes or a
//! status.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::Options;
use super::services::{Emitted, Method};

pub(super) fn emit(service: &Emitted, options: &Options, generic: &Ident) -> TokenStream {
    let Emitted { server, dispatcher, constant, full_name, .. } = service;
    let docs = format!(
        " Calls a [`{server}`] by method name and encoded request, independent of the transport."
    );
    let arms = service.methods.iter().map(|method| emit_arm(server, method));
    let prost = options.prost();
    let unknown = format!("unknown method {full_name}/");
    quote! {
        #[doc = #docs]
        #[derive(Clone, Debug, Default)]
        pub struct #dispatcher<#generic> {
            server: #generic,
        }

        impl<#generic> #dispatcher<#generic> {
            /// The full name of the service.
            pub const SERVICE: &'static str = #constant;

            /// Creates a dispatcher for this server.
            pub const fn new(server: #generic) -> Self {
                Self { server }
            }

            /// Returns the server.
            pub const fn server(&self) -> &#generic {
                &self.server
            }

            /// Returns the server and drops the dispatcher.
            pub fn into_server(self) -> #generic {
                self.server
            }
        }

        impl<#generic: #server> #dispatcher<#generic> {
            /// Answers a call of `method` with the encoded request `payload`.
            ///
            /// # Errors
            ///
            /// Returns the status of the server; UNIMPLEMENTED (12) for an unknown method, and
            /// INVALID_ARGUMENT (3) for a payload that cannot be decoded.
            pub async fn dispatch(
                &self,
                method: &str,
                payload: &[u8],
            ) -> ::core::result::Result<#prost::alloc::vec::Vec<u8>, Status> {
                match method {
                    #(#arms)*
                    _ => Err(
                        Status::new(Code::UNIMPLEMENTED, #prost::alloc::format!("{}{method}", #unknown)),
                    ),
                }
            }
        }
    }
}

fn emit_arm(server: &Ident, method: &Method) -> TokenStream {
    let Method { name, proto_name, request, .. } = method;
    quote! {
        #proto_name => {
            let request = decode::<#request>(payload, Code::INVALID_ARGUMENT)?;
            let response = #server::#name(&self.server, request).await?;
            Ok(encode(&response))
        }
    }
}
