//! The part of the expansion that puts the manifest into the program.

use proc_macro2::TokenStream;
use quote::quote;

use super::{mask, option, required_fields};
use crate::input::Plugin;

/// Returns a static that holds the manifest. It is evaluated at compile time, because only the
/// compiler knows the handlers.
pub(super) fn manifest(plugin: &Plugin) -> TokenStream {
    let name = option(plugin.name.as_ref());
    let index = option(plugin.index.as_ref());
    let protocol = option(plugin.protocol.as_ref().map(|protocol| protocol.release));
    let required_fields = required_fields(plugin);
    let required = mask(&plugin.policies.required);
    quote! {
        const __NRI_REQUIRED_FIELDS: &[__nri::RequiredField] = #required_fields;
        const __NRI_DESCRIPTION: __nri::Description = __nri::Description {
            name: #name,
            index: #index,
            protocol: __nri::PROTOCOL,
            min_protocol: __nri::oldest_release(#protocol, __NRI_REQUIRED_FIELDS),
            facts: __NRI_FACTS,
            required: #required,
            required_fields: __NRI_REQUIRED_FIELDS,
        };
        static __NRI_MANIFEST: [u8; __NRI_DESCRIPTION.size()] = __NRI_DESCRIPTION.render();
    }
}
