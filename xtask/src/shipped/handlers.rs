//! The handler trait of every RPC of service `Plugin`, for authors of plugins.

use proc_macro2::TokenStream;
use quote::quote;

use super::rpc::{Plugin, Rpc};
use super::shape::{Argument, answer, arguments};
use nri_codegen::Error;
use nri_codegen::emit::doc;

pub(super) fn emit(plugin: &Plugin<'_>) -> Result<TokenStream, Error> {
    let traits = plugin
        .rpcs
        .iter()
        .map(handler)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(quote! {
        //! A trait for each RPC that a plugin can handle.

        use crate::adjust::{Adjustment, Changes, Updates, Verdict};
        use crate::api::*;
        use crate::{Context, Result};

        #(#traits)*
    })
}

fn handler(rpc: &Rpc<'_>) -> Result<TokenStream, Error> {
    let Rpc {
        name,
        handler,
        method,
        ..
    } = rpc;
    let docs = docs(rpc);
    let method_docs = format!(
        " Handles one `{name}`. The runtime is told of an error unless `on_error` says otherwise."
    );
    let arguments = arguments(rpc)?;
    let parameters = arguments
        .iter()
        .map(|Argument { name, ty, .. }| quote!(#name: #ty));
    let answer = answer(rpc)?.ty;
    let message = format!("`{{Self}}` does not handle {name}");
    let label = format!("there is no `impl {name} for {{Self}}`");
    let note = format!("implement `{name}`, or take it out of `#[nri(handles(…))]`");
    Ok(quote! {
        #docs
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait #handler: Send + Sync + 'static {
            #[doc = #method_docs]
            fn #method(&self, cx: &Context, #(#parameters),*) -> impl Future<Output = Result<#answer>> + Send;
        }
    })
}

/// The comment of the proto, which speaks of the RPC; and what differs for a handler.
fn docs(rpc: &Rpc<'_>) -> TokenStream {
    let about = match rpc.comment.trim() {
        "" => format!("Handles `{}`.", rpc.name),
        comment => comment.to_owned(),
    };
    let note = match rpc.in_state_change() {
        true => {
            "\n\nA handler gets the event from runtimes of every release, however they send it."
        }
        false => "",
    };
    doc(&(about + note))
}
