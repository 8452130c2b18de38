//! The exports of a plugin that is a WebAssembly module.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Path, Token};

use crate::table::RPCS;

/// The path of the `nri` crate, and the expression that creates the plugin.
struct Input {
    nri: Path,
    plugin: Expr,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let nri = input.call(Path::parse_mod_style)?;
        input.parse::<Token![,]>()?;
        let plugin = input.parse()?;
        Ok(Input { nri, plugin })
    }
}

/// Writes one exported function per RPC, and those that hosts manage memory with. Their names are
/// those of [go-plugin](https://github.com/knqyf263/go-plugin), which hosts call.
pub(crate) fn exports(input: TokenStream) -> TokenStream {
    let Input { nri, plugin } = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let private = quote!(#nri::__private);
    let rpcs = RPCS.iter().map(|rpc| {
        let (export, name) = (format_ident!("plugin_{}", rpc.method()), rpc.name);
        quote! {
            #[unsafe(no_mangle)]
            pub extern "C" fn #export(address: u32, length: u32) -> u64 {
                #private::call(plugin, #name, address, length)
            }
        }
    });
    quote! {
        #[allow(unsafe_code, missing_docs, unreachable_pub)]
        const _: () = {
            fn plugin() -> #private::Boxed {
                #private::boxed(#plugin)
            }
            #[unsafe(no_mangle)]
            pub extern "C" fn plugin_api_version() -> u64 {
                1
            }
            #[unsafe(no_mangle)]
            pub extern "C" fn malloc(size: u32) -> u32 {
                #private::malloc(size)
            }
            #[unsafe(no_mangle)]
            pub extern "C" fn free(address: u32) {
                #private::free(address)
            }
            #(#rpcs)*
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rpc_is_exported_under_the_name_that_hosts_look_up() {
        let code = exports(quote!(nri, Plugin::default())).to_string();
        for name in [
            "plugin_configure",
            "plugin_state_change",
            "plugin_validate_container_adjustment",
            "malloc",
        ] {
            assert!(code.contains(&format!("fn {name} (")), "{name}");
        }
        assert_eq!(code.matches("extern \"C\" fn plugin_").count(), RPCS.len() + 1);
    }
}
