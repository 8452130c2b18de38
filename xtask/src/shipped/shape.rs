//! How a request becomes arguments, and a response the return type of a handler.
//!
//! A new RPC gets its handler by these rules alone. If no rule applies, the handler takes the
//! request and returns the response unchanged.
//!
//! The rules look at the messages of the first revision that has the RPC. What later revisions add
//! changes no signature, so that a release of NRI breaks no plugin: later fields of a request are
//! in the context.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::rpc::{PluginRpc, ident};
use nri_schema::Error;
use nri_schema::model::{Field, FieldKind, Label, Message};

/// The maximum number of fields of a request that become arguments.
const MAX_ARGUMENTS: usize = 4;

/// Fields that a request may lack: (message, field). The others are always sent, and their default
/// means none.
const OPTIONAL: &[(&str, &str)] = &[("StateChangeEvent", "container")];

/// The field that splits a long message, which the stub handles if request and response have it.
const PART: &str = "more";

/// The request whose fields, other than the configuration, are known to the context.
const CONFIGURATION: &str = "ConfigureRequest";

/// Returns the type in `nri::adjust`, `nri::plugin` or `nri::api`, that stands for a response of
/// exactly these fields, in order of name, and an example of a value.
fn answer_of(fields: &[&str]) -> Option<(TokenStream, &'static str)> {
    Some(match fields {
        ["adjust", "evict", "update"] => {
            (quote!(Adjustment), "Adjustment::new().env(\"SEEN_BY\", \"my-plugin\")")
        }
        ["evict", "update"] => (quote!(Updates), "Updates::new()"),
        ["update"] | ["more", "update"] => (quote!(Updates), "Updates::new()"),
        ["reason", "reject"] => (quote!(Verdict), "Verdict::Accept"),
        ["events"] | ["events", "failure_policy"] => {
            (quote!(Subscription), "Subscription::Handled")
        }
        _ => return None,
    })
}

/// The answer of a handler.
pub(super) struct Answer {
    pub(super) ty: TokenStream,
    /// A function that creates the response from it.
    pub(super) respond: TokenStream,
    /// An example of a value.
    pub(super) example: &'static str,
}

/// An argument of a handler.
pub(super) struct Argument {
    pub(super) name: Ident,
    pub(super) ty: TokenStream,
    /// Its value, taken from `request`.
    pub(super) value: TokenStream,
}

/// Returns the return type of a handler, and the function that creates the response from it.
pub(super) fn answer(rpc: &PluginRpc<'_>) -> Result<Answer, Error> {
    let response = ident(&rpc.response.name)?;
    if rpc.first.response.fields.is_empty() {
        return Ok(Answer {
            ty: quote!(()),
            respond: quote!(|()| #response::default()),
            example: "()",
        });
    }
    let (ty, example) = builder(rpc).unwrap_or_else(|| (quote!(#response), "Default::default()"));
    Ok(Answer { ty, respond: quote!(#response::from), example })
}

/// Returns what [`answer_of`] says about the response of the first revision.
fn builder(rpc: &PluginRpc<'_>) -> Option<(TokenStream, &'static str)> {
    let mut fields: Vec<_> =
        rpc.first.response.fields.iter().map(|field| field.name.as_str()).collect();
    fields.sort_unstable();
    answer_of(&fields)
}

/// Returns the conversion of `Updates` to the response of an RPC; nothing if the RPC has another
/// answer.
pub(super) fn conversion_of_updates(rpc: &PluginRpc<'_>) -> Result<TokenStream, Error> {
    if builder(rpc).is_none_or(|(ty, _)| ty.to_string() != "Updates") {
        return Ok(TokenStream::new());
    }
    let has = |field: &str| rpc.response.field(field).is_some();
    let (name, response) = (&rpc.name, ident(&rpc.response.name)?);
    let update = if has("evict") {
        quote!(update: answer.update, evict: answer.evict,)
    } else {
        quote!(update: answer.without_evictions(#name),)
    };
    // A split message is put together by the stub, and is always answered as a whole.
    let part = has(PART).then(|| quote!(more: false,));
    let mut fields = rpc.response.fields.iter().map(|field| field.name.as_str());
    let has_later = fields.any(|field| !["update", "evict", PART].contains(&field));
    let later = has_later.then(|| quote!(..#response::default()));
    Ok(quote! {
        impl From<Updates> for #response {
            fn from(answer: Updates) -> Self {
                #response { #update #part #later }
            }
        }
    })
}

/// Returns the arguments of a handler, in addition to the context.
pub(super) fn arguments(rpc: &PluginRpc<'_>) -> Result<Vec<Argument>, Error> {
    if rpc.request.name == CONFIGURATION {
        return Ok(vec![Argument {
            name: ident("config")?,
            ty: quote!(Config),
            value: quote!(Config::of(request, cx)),
        }]);
    }
    let first = rpc.first.request.fields.iter().filter(|field| !is_part(rpc, field));
    let arguments: Option<Vec<_>> = first.map(|field| argument(rpc.request, field)).collect();
    match arguments {
        Some(arguments) if arguments.len() <= MAX_ARGUMENTS => Ok(arguments),
        _ => whole(rpc.request),
    }
}

fn is_part(rpc: &PluginRpc<'_>, field: &Field) -> bool {
    field.name == PART && rpc.response.field(PART).is_some()
}

/// Returns the fields that a request got after the first revision with its RPC, if its handler
/// takes the fields of that one. They are not arguments: the context has them.
pub(super) fn later_fields(rpc: &PluginRpc<'_>) -> Result<Vec<Ident>, Error> {
    if rpc.request.name == CONFIGURATION || takes_whole(rpc)? {
        return Ok(Vec::new());
    }
    let is_later =
        |field: &&Field| rpc.first.request.field(&field.name).is_none() && !is_part(rpc, field);
    rpc.request.fields.iter().filter(is_later).map(|field| ident(&field.name)).collect()
}

/// Returns true if the handler of an RPC takes the request itself instead of its fields.
pub(super) fn takes_whole(rpc: &PluginRpc<'_>) -> Result<bool, Error> {
    let arguments = arguments(rpc)?;
    Ok(arguments.iter().any(|argument| argument.value.to_string() == REQUEST))
}

/// The variable that holds the request in the generated code.
const REQUEST: &str = "request";

fn whole(request: &Message) -> Result<Vec<Argument>, Error> {
    let ty = ident(&request.name)?;
    Ok(vec![Argument { name: ident(REQUEST)?, ty: quote!(#ty), value: quote!(request) }])
}

/// Returns `None` if no rule covers the kind or name of a field.
fn argument(request: &Message, field: &Field) -> Option<Argument> {
    let name = ident(&field.name).ok().filter(|_| is_snake(&field.name))?;
    let optional = OPTIONAL.contains(&(request.name.as_str(), field.name.as_str()));
    let (ty, value) = match (&field.kind, field.label) {
        (FieldKind::Message(message), label) => {
            let ty = type_name(message)?;
            match (label, optional) {
                (Label::Repeated, _) => (quote!(Vec<#ty>), quote!(request.#name)),
                (_, true) => (quote!(Option<#ty>), quote!(request.#name)),
                (_, false) => (quote!(#ty), quote!(part_or_default(request.#name))),
            }
        }
        (FieldKind::Enum(name_of_enum), Label::Single) => {
            let ty = type_name(name_of_enum)?;
            (quote!(#ty), quote!(#ty::try_from(request.#name).unwrap_or_default()))
        }
        (FieldKind::Scalar("string"), Label::Single) => (quote!(String), quote!(request.#name)),
        (FieldKind::Scalar("bool"), Label::Single) => (quote!(bool), quote!(request.#name)),
        _ => return None,
    };
    Some(Argument { name, ty, value })
}

/// Returns the last part of a full name, if prost does not change it.
fn type_name(full_name: &str) -> Option<Ident> {
    let name = full_name.rsplit('.').next()?;
    let letters: Vec<char> = name.chars().collect();
    let acronym = letters.windows(2).any(|pair| pair.iter().all(|letter| letter.is_uppercase()));
    let plain = letters.iter().all(|letter| letter.is_alphabetic()) && !acronym;
    ident(name).ok().filter(|_| plain)
}

/// Returns true if prost does not change the name of a field.
fn is_snake(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
}

/// Returns the field of the request that holds a single message of this type.
pub(super) fn field_of_type(rpc: &PluginRpc<'_>, ty: &str) -> Option<Ident> {
    let is = |kind: &FieldKind| matches!(kind, FieldKind::Message(name) if name.rsplit('.').next() == Some(ty));
    let field = rpc
        .request
        .fields
        .iter()
        .find(|field| is(&field.kind) && field.label != Label::Repeated)?;
    ident(&field.name).ok()
}
