//! Encoding and decoding of messages, for client and dispatcher.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::Options;

pub(super) fn emit(options: &Options, generic: &Ident) -> TokenStream {
    let prost = options.prost();
    quote! {
        fn decode<#generic: #prost::Message + ::core::default::Default>(
            bytes: &[u8],
            code: Code,
        ) -> ::core::result::Result<#generic, Status> {
            <#generic as #prost::Message>::decode(bytes)
                .map_err(|error| Status::new(code, #prost::alloc::string::ToString::to_string(&error)))
        }

        fn encode<#generic: #prost::Message>(message: &#generic) -> #prost::alloc::vec::Vec<u8> {
            #prost::Message::encode_to_vec(message)
        }
    }
}
