//! The RPCs of the service `Runtime`, as an enum.
//!
//! Everything that serves or calls them matches on it without `_`, so that a new RPC is a compile
//! error in each of these places.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::rpc::{Plugin, ident};
use nri_schema::Error;

pub(super) fn emit(plugin: &Plugin<'_>) -> Result<TokenStream, Error> {
    let service = plugin.protocol.service("Runtime");
    let declared = service.iter().flat_map(|service| &service.rpcs);
    let names: Vec<&str> = declared.map(|rpc| rpc.name.as_str()).collect();
    let variants = names.iter().map(|name| ident(name)).collect::<Result<Vec<Ident>, Error>>()?;
    let docs = names.iter().map(|name| format!(" `{name}`"));
    Ok(quote! {
        //! The RPCs of the Runtime service.

        /// An RPC of the Runtime service, which plugins call.
        ///
        /// It is exhaustive, so that what serves or calls the service cannot forget a new RPC.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RuntimeRpc {
            #(#[doc = #docs] #variants,)*
        }

        impl RuntimeRpc {
            /// Every RPC of the service, in the order of the proto.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// Returns the name of the RPC.
            pub const fn name(self) -> &'static str {
                match self {
                    #(Self::#variants => #names,)*
                }
            }

            /// Returns the RPC with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|rpc| rpc.name() == name)
            }
        }
    })
}
