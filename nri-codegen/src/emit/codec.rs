//! Messages to bytes and back, for client and dispatcher.

use proc_macro2::TokenStream;
use quote::quote;

use super::Options;

pub(super) fn emit(options: &Options) -> TokenStream {
    let default = syn::parse_quote!(::prost);
    let prost: &syn::Path = options.prost.as_ref().unwrap_or(&default);
    quote! {
        fn decode<M: #prost::Message + ::core::default::Default>(
            bytes: &[u8],
            code: Code,
        ) -> ::core::result::Result<M, Status> {
            <M as #prost::Message>::decode(bytes)
                .map_err(|error| Status::new(code, ::std::string::ToString::to_string(&error)))
        }

        fn encode<M: #prost::Message>(message: &M) -> ::std::vec::Vec<u8> {
            #prost::Message::encode_to_vec(message)
        }
    }
}
