//! The handler trait of every RPC of service `Plugin`, for authors of plugins.

use proc_macro2::TokenStream;
use quote::quote;

use super::lifecycle;
use super::rpc::{Plugin, PluginRpc};
use super::shape::{Argument, answer, arguments};
use crate::tokens::source;
use nri_codegen::emit::doc;
use nri_schema::Error;

pub(super) fn emit(plugin: &Plugin<'_>) -> Result<TokenStream, Error> {
    let traits = plugin.rpcs.iter().map(handler).collect::<Result<Vec<_>, _>>()?;
    Ok(quote! {
        //! A trait for each RPC that a plugin can handle. A handler gets its event from runtimes of
        //! every release, also from those that send it as `StateChange`.
        //!
        //! Order, overlap and deadlines are the same for all events: see
        //! [`guide::concurrency`](crate::guide::concurrency).

        use crate::adjust::{Adjustment, Updates, Verdict};
        use crate::api::*;
        use super::{Config, Subscription};
        use crate::{EventContext, Result};

        #(#traits)*
    })
}

fn handler(rpc: &PluginRpc<'_>) -> Result<TokenStream, Error> {
    let PluginRpc { name, handler, method, .. } = rpc;
    let docs = docs(rpc);
    let lifecycle = lifecycle::lines(name).into_iter().map(doc_line);
    let method_docs = format!(
        " Handles one `{name}`. An error is sent to the runtime unless `on_error` says otherwise."
    );
    let arguments = arguments(rpc)?;
    let parameters =
        arguments.iter().map(|Argument { name: parameter, ty, .. }| quote!(#parameter: #ty));
    let answer = answer(rpc)?.ty;
    let message = format!("`{{Self}}` does not handle {name}");
    let label = format!("there is no `impl {name} for {{Self}}`");
    let note = format!(
        "implement `{name}`, or remove it from `#[nri(handles(…))]`; if the impl needs a bound, add `#[nri(bound(…))]`"
    );
    let example = example(rpc)?;
    Ok(quote! {
        #docs
        #example
        #(#[doc = #lifecycle])*
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait #handler: Send + Sync {
            #[doc = #method_docs]
            fn #method(&self, cx: &EventContext, #(#parameters),*) -> impl Future<Output = Result<#answer>> + Send;
        }
    })
}

/// Returns the comment of the proto about the RPC.
fn docs(rpc: &PluginRpc<'_>) -> TokenStream {
    match rpc.comment.trim() {
        "" => doc(&format!("Handles `{}`.", rpc.name)),
        comment => doc(comment),
    }
}

/// Returns the example of the documentation: the handler of a plugin.
fn example(rpc: &PluginRpc<'_>) -> Result<TokenStream, Error> {
    let PluginRpc { handler, method, .. } = rpc;
    let parameters: String = arguments(rpc)?
        .iter()
        .map(|Argument { name, ty, .. }| format!(", _{name}: {}", source(ty)))
        .collect();
    let answer = answer(rpc)?;
    let (ty, example) = (source(&answer.ty), answer.example);
    let deprecated = if rpc.deprecation.is_some() { "# #![allow(deprecated)]\n" } else { "" };
    let import =
        if in_prelude(&parameters) && in_prelude(&ty) { "" } else { "# use nri::api::*;\n" };
    let mut signature =
        format!("async fn {method}(&self, _cx: &EventContext{parameters}) -> nri::Result<{ty}>");
    if signature.len() > MAX_SIGNATURE {
        let parameters = parameters.replace(", ", ",\n        ");
        signature = format!(
            "async fn {method}(\n        &self,\n        _cx: &EventContext{parameters},\n    ) -> nri::Result<{ty}>"
        );
    }
    let text = format!(
        r#"
```
{deprecated}{import}# use nri::prelude::*;
# struct MyPlugin;
impl {handler} for MyPlugin {{
    {signature} {{
        Ok({example})
    }}
}}
```"#
    );
    let lines = text.lines().map(doc_line);
    Ok(quote!(#(#[doc = #lines])*))
}

/// The length of a signature that rustfmt keeps on one line in an impl.
const MAX_SIGNATURE: usize = 94;

/// The types of arguments and answers that `nri::prelude` has.
const PRELUDE: [&str; 9] = [
    "Adjustment",
    "Config",
    "Container",
    "Event",
    "LinuxResources",
    "PodSandbox",
    "Subscription",
    "Updates",
    "Verdict",
];

/// Returns true if the prelude has all types of this source text.
fn in_prelude(source: &str) -> bool {
    let is_generated = |name: &&str| name.starts_with(char::is_uppercase);
    let mut types = source.split(|c: char| !c.is_alphanumeric()).filter(is_generated);
    types.all(|name| PRELUDE.contains(&name) || ["Option", "String", "Vec"].contains(&name))
}

/// Returns a line of documentation as the value of a `doc` attribute.
fn doc_line(line: &str) -> String {
    if line.is_empty() { String::new() } else { format!(" {line}") }
}
