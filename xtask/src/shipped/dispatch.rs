//! The code between a dispatch table and the handler traits.

use proc_macro2::TokenStream;
use quote::quote;

use super::rpc::{Plugin, PluginRpc};
use super::shape::{
    Argument, answer, arguments, conversion_of_updates, field_of_type, later_fields, takes_whole,
};
use crate::tokens::{formatted, source};
use nri_schema::Error;
use nri_schema::history::Deprecation;
use nri_schema::model::{FieldKind, Label, Message};
use nri_schema::version::without_v;

pub(super) fn emit(plugin: &Plugin<'_>) -> Result<String, Error> {
    let rpcs = &plugin.rpcs;
    let rows = rpcs
        .iter()
        .map(|rpc| row(rpc, shared_request(rpc, rpcs)))
        .collect::<Result<String, _>>()?;
    let conversions = rpcs.iter().map(conversion_of_updates).collect::<Result<TokenStream, _>>()?;
    let imports = quote! {
        //! The basis of `#[derive(NriPlugin)]`: the functions that decode requests and call
        //! handlers.

        use super::handlers::*;
        use super::rpcs::rpc;
        use super::table::rows;
        use super::{Body, Call, Config, Row, Subject, decode, part_or_default};
        use crate::adjust::Updates;
        use crate::api::*;
        use crate::{EventContext, Result};
    };
    Ok(format!("{}rows! {{\n{rows}}}\n{}", formatted(&imports), formatted(&conversions)))
}

/// Returns the row of an RPC for the macro `rows!`: how its request becomes arguments, and an
/// answer the response.
fn row(rpc: &PluginRpc<'_>, shared: &Message) -> Result<String, Error> {
    let PluginRpc { handler, method, constant, .. } = rpc;
    let lint = match rpc.deprecation {
        Some(deprecation) => format!("    {}\n", lint(rpc, deprecation)),
        None => String::new(),
    };
    let subject = |ty| match field_of_type(rpc, ty) {
        Some(field) => format!("request.{field}.as_ref()"),
        None => "None".to_owned(),
    };
    let (pod, container) = (subject("PodSandbox"), subject("Container"));
    let arguments = arguments(rpc)?;
    let values =
        arguments.iter().map(|Argument { value, .. }| source(value)).collect::<Vec<_>>().join(", ");
    let request = if arguments.is_empty() { "_request" } else { "request" };
    let respond = source(&answer(rpc)?.respond);
    let (conversion, later) = (conversion(rpc, shared)?, later(rpc)?);
    Ok(format!(
        "{lint}    {constant}: {handler}::{method}({request}, cx) {{ {conversion}; Subject::new({pod}, {container}); {later}({values}) => {respond} }}\n"
    ))
}

/// Returns the attribute with which rustc warns authors of plugins that handle a deprecated RPC.
fn lint(rpc: &PluginRpc<'_>, deprecation: &Deprecation) -> String {
    let since = deprecation.deprecated_in.nri.as_deref().unwrap_or_default();
    let outlook =
        deprecation.outlook().map(|outlook| format!(", its {outlook}")).unwrap_or_default();
    let instead: Vec<_> = deprecation.replaced_by.iter().map(|(_, name)| name.as_str()).collect();
    let remedy = if instead.is_empty() {
        deprecation.remedy.clone()
    } else {
        format!(
            "implement the handlers of the events that the plugin needs instead: {}",
            instead.join(", ")
        )
    };
    let note = format!("{} is deprecated since NRI {since}{outlook}; {remedy}", rpc.name);
    let number = without_v(since);
    format!("#[deprecated(since = {number:?}, note = {note:?})]")
}

/// Returns what gives later fields of a request to the context.
fn later(rpc: &PluginRpc<'_>) -> Result<String, Error> {
    let fields = later_fields(rpc)?;
    if fields.is_empty() {
        return Ok(String::new());
    }
    let request = super::rpc::ident(&rpc.request.name)?;
    let moved: String = fields.iter().map(|field| format!("{field}: request.{field}, ")).collect();
    Ok(format!("keep {request} {{ {moved}..{request}::default() }}; "))
}

/// Returns the first request with the same fields, whose decoder this request shares.
fn shared_request<'r>(rpc: &PluginRpc<'r>, rpcs: &[PluginRpc<'r>]) -> &'r Message {
    let mut requests = rpcs.iter().map(|other| other.request);
    requests.find(|other| fields(other).eq(fields(rpc.request))).unwrap_or(rpc.request)
}

/// Returns what a decoder depends on of each field.
fn fields(message: &Message) -> impl Iterator<Item = (i32, &str, &FieldKind, Label)> {
    message.fields.iter().map(|field| (field.number, &*field.name, &field.kind, field.label))
}

/// Returns a function that converts a request to the type to decode it as.
fn conversion(rpc: &PluginRpc<'_>, shared: &Message) -> Result<String, Error> {
    let request = super::rpc::ident(&rpc.request.name)?;
    let is_itself = !later_fields(rpc)?.is_empty() || takes_whole(rpc)?;
    if shared.name == rpc.request.name || is_itself {
        return Ok(format!("|request: {request}| request"));
    }
    let shared = super::rpc::ident(&shared.name)?;
    let fields =
        rpc.request.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ");
    Ok(format!("|{request} {{ {fields} }}| {shared} {{ {fields} }}"))
}
