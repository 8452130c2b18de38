//! Writes Rust source for a checked protocol, one file per revision.

mod aliases;
mod client;
mod codec;
mod deprecation;
mod derives;
mod dispatch;
mod docs;
mod event;
mod event_mask;
mod fields;
mod messages;
mod modules;
mod names;
mod naming;
mod options;
mod place;
mod schema;
mod server;
mod services;
mod source_info;
mod status;
mod tables;
mod verbatim;

use std::path::PathBuf;

use proc_macro2::TokenStream;
use quote::quote;

use messages::Messages;
use nri_schema::compile::Compiled;
use nri_schema::history::{Deprecation, History, Interface};
use nri_schema::model::{NriView, Protocol};
use nri_schema::{Error, ErrorKind, Problem};
pub use options::Options;
use place::Place;
use schema::Schema;
use services::Emitted;
#[doc(hidden)]
pub use services::doc;

/// The input of every emitter.
struct Input<'i> {
    compiled: &'i Compiled,
    protocol: &'i Protocol,
    schema: Schema<'i>,
    nri: &'i NriView,
    history: &'i History,
    options: &'i Options,
    /// The revision of the protocol, or the one that a fork is assumed to descend from.
    revision: &'i str,
    deprecations: Vec<&'i Deprecation>,
}

/// Returns the Rust source for `compiled`, formatted, for `include!`. It depends on nothing but
/// `prost`.
///
/// # Errors
///
/// Returns an error if the schema is not a consistent NRI protocol, if two declarations would have
/// the same Rust name, or if an option does not apply to it. Each problem has file and line.
pub fn source(compiled: &Compiled, history: &History, options: &Options) -> Result<String, Error> {
    emitted(compiled, history, options).map_err(|error| {
        error
            .with_texts(|file| compiled.texts.get(file).map(String::as_str))
            .with_paths(|file| compiled.paths.get(file).map(PathBuf::as_path))
    })
}

fn emitted(compiled: &Compiled, history: &History, options: &Options) -> Result<String, Error> {
    let protocol = Protocol::read(compiled)?;
    let Some(nri) = &protocol.nri else {
        return Err(not_nri(compiled, &protocol).into());
    };
    protocol.check()?;
    let schema = Schema::new(compiled, &protocol.package)?;
    names::check(&schema, options)?;
    let newest = history.revisions().last().map_or("", |revision| revision.name());
    let revision = compiled.release.as_ref().map_or(newest, |release| &release.revision);
    let input = Input {
        compiled,
        protocol: &protocol,
        schema,
        nri,
        history,
        options,
        revision,
        deprecations: deprecations(compiled, &protocol, history, revision)?,
    };
    let messages = messages::emit(&input)?;
    let items = items(&input, &messages)?;
    Ok(file(&input, &messages, &items))
}

/// Returns the deprecations in effect: by release, or for a fork if it has all replacements of the
/// deprecated interface.
fn deprecations<'h>(
    compiled: &Compiled,
    protocol: &Protocol,
    history: &'h History,
    revision: &str,
) -> Result<Vec<&'h Deprecation>, Error> {
    let mut deprecations = history.deprecated_in(revision)?;
    if compiled.release.is_none() {
        let has_rpc = |rpc: &str| protocol.service("Plugin").is_some_and(|s| s.rpc(rpc).is_some());
        deprecations.retain(|deprecation| {
            let declared =
                matches!(&deprecation.interface, Interface::Rpc { rpc, .. } if protocol.has(rpc));
            declared && deprecation.replaced_by.iter().all(|(_, rpc)| has_rpc(rpc))
        });
    }
    Ok(deprecations)
}

fn not_nri(compiled: &Compiled, protocol: &Protocol) -> Problem {
    let fact = protocol.not_nri();
    match compiled.files().next() {
        Some(file) => Place::new(file).package().problem(fact),
        None => Problem::new(ErrorKind::Protocol, fact),
    }
    .with_help(Protocol::NRI_HELP)
}

fn items(input: &Input<'_>, messages: &Messages) -> Result<TokenStream, Error> {
    let services = services::read(input, messages)?;
    let declared = &messages.items;
    let event = event::emit(input, messages);
    let event_mask = event_mask::emit(input);
    let tables = tables::emit(input, messages)?;
    let calls = calls(input.options, messages, &services);
    Ok(quote! { #declared #event #event_mask #tables #calls })
}

/// Returns clients and servers, with the types that they need.
fn calls(options: &Options, messages: &Messages, services: &[Emitted]) -> TokenStream {
    let status = match (&options.status, options.client || options.server) {
        (_, false) => TokenStream::new(),
        (Some(path), true) => quote! { use #path::{Code, Status}; },
        (None, true) => status::emit(options),
    };
    let servers = services.iter().filter(|_| options.server).map(|service| {
        let server = server::emit(service);
        let dispatcher = dispatch::emit(service, options, &messages.free("T"));
        quote! { #server #dispatcher }
    });
    let transport = options.client.then(|| client::transport(options));
    let generic = messages.free("C");
    let clients =
        services.iter().filter(|_| options.client).map(|service| client::emit(service, &generic));
    let codec =
        (options.client || options.server).then(|| codec::emit(options, &messages.free("M")));
    quote! { #status #codec #(#servers)* #transport #(#clients)* }
}

/// Puts the items into a module that allows every lint, and re-exports them: `include!` takes no
/// inner attributes.
fn file(input: &Input<'_>, messages: &Messages, items: &TokenStream) -> String {
    let module = modules::emit(name(input), input.schema.is_nested(), messages, items);
    let formatted = match syn::parse2(module.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => module.to_string(),
    };
    let version = env!("CARGO_PKG_VERSION");
    let name = name(input).replace(['\r', '\n'], " ");
    let header =
        format!("// @generated by nri-codegen {version} from NRI {name}. Do not edit.\n\n");
    header + &source_info::plain(&formatted)
}

/// Returns the revision, or the path of a fork.
fn name<'i>(input: &'i Input<'_>) -> &'i str {
    match &input.compiled.release {
        Some(release) => &release.revision,
        None => &input.compiled.origin,
    }
}
