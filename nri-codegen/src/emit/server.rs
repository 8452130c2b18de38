//! The trait that a server of a service implements.

use proc_macro2::TokenStream;
use quote::quote;

use super::services::{Emitted, Method};

pub(super) fn emit(service: &Emitted) -> TokenStream {
    let (server, docs) = (&service.server, &service.docs);
    let methods = service.methods.iter().map(|method| emit_method(service, method));
    quote! {
        #docs
        ///
        /// Methods that are not implemented answer UNIMPLEMENTED (12), so that the peer can fall
        /// back.
        pub trait #server: ::core::marker::Send + ::core::marker::Sync {
            #(#methods)*
        }
    }
}

fn emit_method(service: &Emitted, method: &Method) -> TokenStream {
    let Method { name, request, response, docs, deprecated, .. } = method;
    let refusal = format!("{}/{} is not implemented", service.full_name, method.proto_name);
    quote! {
        #docs
        #deprecated
        fn #name(
            &self,
            request: #request,
        ) -> impl ::core::future::Future<Output = ::core::result::Result<#response, Status>> + ::core::marker::Send {
            let _ = request;
            async { Err(Status::new(Code::UNIMPLEMENTED, #refusal)) }
        }
    }
}
