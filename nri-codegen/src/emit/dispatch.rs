//! The dispatcher of a service: method and bytes in, bytes or a status out. It knows no transport.

use proc_macro2::TokenStream;
use quote::quote;

use super::services::{Emitted, Method};

pub(super) fn emit(service: &Emitted) -> TokenStream {
    let Emitted {
        server,
        dispatcher,
        constant,
        full_name,
        ..
    } = service;
    let docs =
        format!(" Calls a [`{server}`] by method name and bytes, whatever transport they came by.");
    let arms = service.methods.iter().map(emit_arm);
    let unknown = format!("unknown method {full_name}/");
    quote! {
        #[doc = #docs]
        #[derive(Clone, Debug, Default)]
        pub struct #dispatcher<T> {
            server: T,
        }

        impl<T> #dispatcher<T> {
            /// The service that is served, by its full name.
            pub const SERVICE: &'static str = #constant;

            /// A dispatcher to this server.
            pub const fn new(server: T) -> Self {
                Self { server }
            }

            /// The server.
            pub const fn server(&self) -> &T {
                &self.server
            }

            /// The server, the dispatcher given up.
            pub fn into_server(self) -> T {
                self.server
            }
        }

        impl<T: #server> #dispatcher<T> {
            /// Answers a call of `method` with the encoded request `payload`.
            ///
            /// # Errors
            ///
            /// What the server answers; UNIMPLEMENTED (12) for a method that the service does not have, and
            /// INVALID_ARGUMENT (3) for a payload that does not decode.
            pub async fn dispatch(
                &self,
                method: &str,
                payload: &[u8],
            ) -> ::core::result::Result<::std::vec::Vec<u8>, Status> {
                match method {
                    #(#arms)*
                    _ => Err(
                        Status::new(Code::UNIMPLEMENTED, ::std::format!("{}{method}", #unknown)),
                    ),
                }
            }
        }
    }
}

fn emit_arm(method: &Method) -> TokenStream {
    let Method {
        name,
        proto_name,
        request,
        ..
    } = method;
    quote! {
        #proto_name => {
            let request = decode::<#request>(payload, Code::INVALID_ARGUMENT)?;
            let response = self.server.#name(request).await?;
            Ok(encode(&response))
        }
    }
}
