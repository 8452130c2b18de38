//! The table of `nri-compat`: the events by the names of their RPCs.

use proc_macro2::TokenStream;
use quote::quote;

use nri_codegen::Error;
use nri_codegen::history::History;

/// Returns the events of the newest revision.
pub(super) fn emit(history: &History) -> Result<TokenStream, Error> {
    let newest = history.revisions().last();
    let protocol = newest.map(|revision| revision.protocol()).transpose()?;
    let events = protocol.and_then(|protocol| protocol.nri.as_ref());
    let names: Vec<&str> = events
        .map(|nri| {
            nri.events
                .iter()
                .map(|event| event.rpc_name.as_str())
                .collect()
        })
        .unwrap_or_default();
    let count = names.len();
    Ok(quote! {
        //! Returns the events of the newest revision.

        /// RPC names of all events, in the order of their numbers, starting at 1.
        pub const EVENTS: [&str; #count] = [#(#names),*];
    })
}
