//! Deprecations of RPCs and messages, as attributes.

use proc_macro2::TokenStream;
use quote::quote;

use super::Input;
use nri_schema::history::{Deprecation, Interface};
use nri_schema::version::without_v;

/// Returns the deprecation of this RPC, if it is deprecated in this revision.
pub(super) fn of_rpc<'i>(input: &Input<'i>, rpc: &str) -> Option<&'i Deprecation> {
    input
        .deprecations
        .iter()
        .find(|deprecation| matches!(&deprecation.interface, Interface::Rpc { rpc: known, .. } if known == rpc))
        .copied()
}

/// Returns `#[deprecated]` with the release, the remedy, and the planned removal if there is one.
pub(super) fn attribute(deprecation: &Deprecation) -> TokenStream {
    let since = without_v(deprecation.deprecated_in.nri.as_deref().unwrap_or_default());
    let outlook = deprecation.outlook().map(|outlook| format!("; {outlook}"));
    let note = format!("{}{}", remedy(deprecation), outlook.unwrap_or_default());
    quote! { #[deprecated(since = #since, note = #note)] }
}

fn remedy(deprecation: &Deprecation) -> String {
    if deprecation.replaced_by.is_empty() {
        deprecation.remedy.clone()
    } else {
        "implement or call the dedicated RPC of each event".to_owned()
    }
}
