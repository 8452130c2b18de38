//! Services, with the names and types that server, client and dispatcher need.

use heck::ToShoutySnakeCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use super::messages::Messages;
use super::{Input, Options, deprecation, docs};
use nri_schema::{Error, ErrorKind, Problem};

/// A service to emit.
pub(super) struct Emitted {
    /// The trait of the server: `Plugin`.
    pub(super) server: Ident,
    /// `PluginClient`
    pub(super) client: Ident,
    /// `PluginDispatcher`
    pub(super) dispatcher: Ident,
    /// The constant with the full name: `PLUGIN_SERVICE`.
    pub(super) constant: Ident,
    pub(super) full_name: String,
    pub(super) docs: TokenStream,
    pub(super) methods: Vec<Method>,
}

/// An RPC to emit.
pub(super) struct Method {
    /// `create_container`
    pub(super) name: Ident,
    /// `CreateContainer`
    pub(super) proto_name: String,
    pub(super) request: syn::Type,
    pub(super) response: syn::Type,
    pub(super) docs: TokenStream,
    /// `#[deprecated(…)]`, if it is deprecated.
    pub(super) deprecated: Option<TokenStream>,
}

/// Reads the services that prost-build resolved.
pub(super) fn read(input: &Input<'_>, messages: &Messages) -> Result<Vec<Emitted>, Error> {
    messages.services.iter().map(|service| emitted(input, service)).collect()
}

/// Returns the types that are generated for every protocol.
pub(super) fn own_types(options: &Options) -> impl Iterator<Item = &'static str> {
    const TABLES: [&str; 6] = [
        "EventMask",
        "UnknownEvents",
        "UnknownEventName",
        "Rpc",
        "EventInfo",
        "StateChangeCoverage",
    ];
    const CALLS: [&str; 2] = ["Code", "Status"];
    let calls = CALLS.into_iter().filter(|_| options.client || options.server);
    let transport = options.client.then_some("Call");
    TABLES.into_iter().chain(calls).chain(transport)
}

/// Returns the types that are generated for the service `name`.
pub(super) fn types_of(name: &str, options: &Options) -> Vec<String> {
    let server = options.server.then(|| [name.to_owned(), dispatcher(name)]);
    let client = options.client.then(|| client(name));
    server.into_iter().flatten().chain(client).collect()
}

fn client(service: &str) -> String {
    format!("{}Client", service.trim_end_matches('_'))
}

fn dispatcher(service: &str) -> String {
    format!("{}Dispatcher", service.trim_end_matches('_'))
}

/// Returns the method name of an RPC, with an underscore if the client has a method with that name.
pub(super) fn method_name(name: &str) -> String {
    match name {
        "new" | "transport" | "into_transport" => format!("{name}_"),
        name => name.to_owned(),
    }
}

fn emitted(input: &Input<'_>, service: &prost_build::Service) -> Result<Emitted, Error> {
    let known = input.protocol.service(&service.proto_name);
    let methods = service.methods.iter().map(|method| {
        let rpc = known.and_then(|known| known.rpc(&method.proto_name));
        let deprecation = rpc.and_then(|rpc| deprecation::of_rpc(input, &rpc.full_name));
        Ok(Method {
            name: ident(&method_name(&method.name))?,
            proto_name: method.proto_name.clone(),
            request: message(&method.input_type)?,
            response: message(&method.output_type)?,
            docs: doc(rpc.map_or("", |rpc| &rpc.about.comment)),
            deprecated: deprecation.map(deprecation::attribute),
        })
    });
    Ok(Emitted {
        server: ident(&service.name)?,
        client: format_ident!("{}", client(&service.name)),
        dispatcher: format_ident!("{}", dispatcher(&service.name)),
        constant: constant(&service.proto_name),
        full_name: known.map_or_else(String::new, |known| known.full_name.clone()),
        docs: doc(known.map_or("", |known| &known.about.comment)),
        methods: methods.collect::<Result<_, Error>>()?,
    })
}

/// Returns `PLUGIN_SERVICE` for `Plugin`.
pub(super) fn constant(service: &str) -> Ident {
    let name = service.to_shouty_snake_case();
    // As prost-build does for types.
    let digit = if name.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    format_ident!("{digit}{name}_SERVICE")
}

fn ident(name: &str) -> Result<Ident, Error> {
    syn::parse_str(name).map_err(|_| no_name(name).into())
}

/// Returns the Rust type of a message; protobuf's own `Empty` is `()`.
fn message(name: &str) -> Result<syn::Type, Error> {
    syn::parse_str(name).map_err(|_| no_name(name).into())
}

fn no_name(name: &str) -> Problem {
    Problem::new(ErrorKind::Protocol, format!("`{name}` is not a Rust name"))
}

/// Returns doc attributes, one per line of the comment.
pub fn doc(comment: &str) -> TokenStream {
    let markdown = docs::markdown(comment);
    let lines = markdown.lines().map(|line| match line {
        "" => String::new(),
        line => format!(" {line}"),
    });
    quote! { #(#[doc = #lines])* }
}
