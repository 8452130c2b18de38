//! Services with all that server, client and dispatcher need to know of them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use super::messages::Messages;
use super::{Input, docs};
use crate::error::{Error, ErrorKind, Problem};
use crate::history::{Deprecation, Interface};

/// A service to emit.
pub(super) struct Emitted {
    /// Trait of the server: `Plugin`.
    pub(super) server: Ident,
    /// `PluginClient`
    pub(super) client: Ident,
    /// `PluginDispatcher`
    pub(super) dispatcher: Ident,
    /// Constant with the full name: `PLUGIN_SERVICE`.
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
    /// `#[deprecated(…)]`, if it is.
    pub(super) deprecated: Option<TokenStream>,
}

/// Reads what prost-build says about services; reports names that are taken by messages.
pub(super) fn read(input: &Input<'_>, messages: &Messages) -> Result<Vec<Emitted>, Error> {
    let services: Vec<Emitted> = (messages.services.iter())
        .map(|service| emitted(input, service))
        .collect::<Result<_, Error>>()?;
    let mut problems = Vec::new();
    for name in own_names(&services).filter(|name| messages.names.contains(name)) {
        let fact = format!("type `{name}` has the name of a generated item");
        problems.push(Problem::new(ErrorKind::Protocol, fact));
    }
    Error::unless_empty(problems)?;
    Ok(services)
}

/// What is emitted besides messages and enums.
fn own_names(services: &[Emitted]) -> impl Iterator<Item = Ident> {
    let fixed = [
        "EventMask",
        "UnknownEvents",
        "UnknownEventName",
        "Code",
        "Status",
        "Call",
        "Rpc",
        "EventInfo",
        "StateChangeCoverage",
    ];
    let fixed = fixed.into_iter().map(|name| format_ident!("{name}"));
    let services = services
        .iter()
        .flat_map(|s| [s.server.clone(), s.client.clone(), s.dispatcher.clone()]);
    fixed.chain(services)
}

fn emitted(input: &Input<'_>, service: &prost_build::Service) -> Result<Emitted, Error> {
    let known = input.protocol.service(&service.proto_name);
    let methods = service.methods.iter().map(|method| {
        let rpc = known.and_then(|known| known.rpc(&method.proto_name));
        let deprecation = rpc.and_then(|rpc| deprecation(input, &rpc.full_name));
        Ok(Method {
            name: ident(&method.name)?,
            proto_name: method.proto_name.clone(),
            request: message(&method.input_type)?,
            response: message(&method.output_type)?,
            docs: doc(rpc.map_or("", |rpc| &rpc.about.comment)),
            deprecated: deprecation.map(deprecated),
        })
    });
    Ok(Emitted {
        server: ident(&service.name)?,
        client: format_ident!("{}Client", service.name),
        dispatcher: format_ident!("{}Dispatcher", service.name),
        constant: constant(&service.name),
        full_name: format!("{}.{}", service.package, service.proto_name),
        docs: doc(known.map_or("", |known| &known.about.comment)),
        methods: methods.collect::<Result<_, Error>>()?,
    })
}

/// `PLUGIN_SERVICE` for `Plugin`.
pub(super) fn constant(service: &str) -> Ident {
    let mut name = String::new();
    for letter in service.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_uppercase());
    }
    format_ident!("{name}_SERVICE")
}

/// The deprecation of this RPC, if it is deprecated in this revision.
pub(super) fn deprecation<'i>(input: &Input<'i>, rpc: &str) -> Option<&'i Deprecation> {
    let mut deprecations = input.deprecations.iter();
    deprecations
        .find(|deprecation| matches!(&deprecation.interface, Interface::Rpc { rpc: known, .. } if known == rpc))
        .copied()
}

/// `#[deprecated]` with the release and what to do instead. It says planned where removal is planned.
pub(super) fn deprecated(deprecation: &Deprecation) -> TokenStream {
    let since = deprecation.deprecated_in.nri.as_deref().unwrap_or_default();
    let since = since.trim_start_matches('v');
    let outlook = deprecation.outlook().map(|outlook| format!("; {outlook}"));
    let note = format!("{}{}", remedy(deprecation), outlook.unwrap_or_default());
    quote! { #[deprecated(since = #since, note = #note)] }
}

fn remedy(deprecation: &Deprecation) -> String {
    match deprecation.replaced_by.is_empty() {
        true => deprecation.remedy.clone(),
        false => "implement or call the dedicated RPC of each event".to_owned(),
    }
}

fn ident(name: &str) -> Result<Ident, Error> {
    syn::parse_str(name).map_err(|_| no_name(name).into())
}

/// The Rust type of a message; protobuf's own `Empty` is `()`.
fn message(name: &str) -> Result<syn::Type, Error> {
    syn::parse_str(name).map_err(|_| no_name(name).into())
}

fn no_name(name: &str) -> Problem {
    Problem::new(ErrorKind::Protocol, format!("`{name}` is no Rust name"))
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
