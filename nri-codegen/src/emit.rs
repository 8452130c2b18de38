//! A checked protocol to Rust source, one file a revision. Each emitted thing has its file below.

mod client;
mod codec;
mod dispatch;
mod docs;
mod event;
mod event_mask;
mod messages;
mod options;
mod server;
mod services;
mod status;
mod tables;
mod verbatim;

use proc_macro2::TokenStream;
use quote::quote;

use crate::compile::Compiled;
use crate::error::{Error, ErrorKind, Problem};
use crate::history::{Deprecation, History, Interface};
use crate::model::{NriView, Protocol};
use messages::Messages;
pub use options::Options;
use services::Emitted;
#[doc(hidden)]
pub use services::doc;

/// Everything that emitting looks at.
struct Input<'i> {
    compiled: &'i Compiled,
    protocol: &'i Protocol,
    nri: &'i NriView,
    history: &'i History,
    options: &'i Options,
    /// The revision of the history that the protocol is, or that a fork is taken to descend from.
    revision: &'i str,
    deprecations: Vec<&'i Deprecation>,
}

/// The Rust source for `compiled`: formatted, self-contained but for `prost`, usable through `include!`.
///
/// # Errors
///
/// If the schema is no NRI protocol that holds together, if it spreads over several packages, or if an option makes
/// no sense for it.
pub fn source(compiled: &Compiled, history: &History, options: &Options) -> Result<String, Error> {
    let protocol = Protocol::read(compiled);
    protocol.check()?;
    let Some(nri) = &protocol.nri else {
        return Err(unreachable_view(&protocol).into());
    };
    let newest = history
        .revisions()
        .last()
        .map_or("", |revision| revision.name());
    let revision = compiled
        .release
        .as_ref()
        .map_or(newest, |release| &release.revision);
    let input = Input {
        compiled,
        protocol: &protocol,
        nri,
        history,
        options,
        revision,
        deprecations: deprecations(compiled, &protocol, history, revision)?,
    };
    let messages = messages::emit(&input)?;
    let items = items(&input, &messages)?;
    Ok(file(&input, &items))
}

/// Deprecations that hold: by release, or for a fork once it has all that replaces the deprecated interface.
fn deprecations<'h>(
    compiled: &Compiled,
    protocol: &Protocol,
    history: &'h History,
    revision: &str,
) -> Result<Vec<&'h Deprecation>, Error> {
    let mut deprecations = history.deprecated_in(revision)?;
    if compiled.release.is_none() {
        let has_rpc = |rpc: &str| {
            protocol
                .service("Plugin")
                .is_some_and(|s| s.rpc(rpc).is_some())
        };
        deprecations.retain(|deprecation| {
            let declared =
                matches!(&deprecation.interface, Interface::Rpc { rpc, .. } if protocol.has(rpc));
            declared && deprecation.replaced_by.iter().all(|(_, rpc)| has_rpc(rpc))
        });
    }
    Ok(deprecations)
}

fn unreachable_view(protocol: &Protocol) -> Problem {
    let fact = format!("package {} is no NRI protocol", protocol.package);
    Problem::new(ErrorKind::Protocol, fact)
}

fn items(input: &Input<'_>, messages: &Messages) -> Result<TokenStream, Error> {
    let services = services::read(input, messages)?;
    let declared = &messages.items;
    let event = event::emit(input, messages);
    let event_mask = event_mask::emit(input, messages);
    let tables = tables::emit(input, messages)?;
    let calls = calls(input.options, &services);
    Ok(quote! { #declared #event #event_mask #tables #calls })
}

/// What client and server need: only as much of it as is asked for.
fn calls(options: &Options, services: &[Emitted]) -> TokenStream {
    let status = match (&options.status, options.client || options.server) {
        (_, false) => TokenStream::new(),
        (Some(path), true) => quote! { use #path::{Code, Status}; },
        (None, true) => status::emit(),
    };
    let servers = services.iter().filter(|_| options.server).map(|service| {
        let server = server::emit(service);
        let dispatcher = dispatch::emit(service);
        quote! { #server #dispatcher }
    });
    let transport = options.client.then(client::transport);
    let clients = services.iter().filter(|_| options.client).map(client::emit);
    let codec = (options.client || options.server).then(|| codec::emit(options));
    quote! { #status #codec #(#servers)* #transport #(#clients)* }
}

/// The items in a module that keeps lints off what nobody wrote, and a re-export: `include!` takes no inner attributes.
fn file(input: &Input<'_>, items: &TokenStream) -> String {
    let about = format!(" Bindings for NRI {}, generated.", name(input));
    let module = quote! {
        #[allow(clippy::all, clippy::nursery, clippy::pedantic)]
        #[allow(dead_code, deprecated, missing_docs, unreachable_pub, unused_qualifications)]
        #[doc = #about]
        #[rustfmt::skip]
        mod generated { #items }

        #[allow(unreachable_pub, unused_imports)]
        pub use self::generated::*;
    };
    let formatted = match syn::parse2(module.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => module.to_string(),
    };
    let version = env!("CARGO_PKG_VERSION");
    let header = format!(
        "// @generated by nri-codegen {version} from NRI {}. Do not edit.\n\n",
        name(input)
    );
    header + &messages::plain(&formatted)
}

/// The revision, or the path of a fork.
fn name<'i>(input: &'i Input<'_>) -> &'i str {
    match &input.compiled.release {
        Some(release) => &release.revision,
        None => &input.compiled.origin,
    }
}
