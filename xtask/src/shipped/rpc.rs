//! The service that plugins serve, with the facts that handlers, dispatch and the macro need.

use heck::{ToShoutySnakeCase, ToSnakeCase};
use proc_macro2::Span;
use syn::Ident;

use nri_schema::history::{Deprecation, EventHistory, History, Interface};
use nri_schema::model::{Event, Message, Protocol, STATE_CHANGE};
use nri_schema::{Error, ErrorKind, Problem};

/// Service `Plugin` of the newest revision.
pub(super) struct Plugin<'h> {
    pub(super) rpcs: Vec<PluginRpc<'h>>,
    /// The request of `StateChange`.
    pub(super) state_change: Option<&'h Message>,
    /// Name of the revision.
    pub(super) revision: &'h str,
    /// The revision itself.
    pub(super) protocol: &'h Protocol,
    /// Tagged releases, oldest first.
    pub(super) releases: Vec<&'h str>,
}

/// An RPC of the service.
pub(super) struct PluginRpc<'h> {
    /// `RunPodSandbox`
    pub(super) name: &'h str,
    /// `RunPodSandbox`, the handler trait.
    pub(super) handler: Ident,
    /// `run_pod_sandbox`, the method of the trait.
    pub(super) method: Ident,
    /// `RUN_POD_SANDBOX`
    pub(super) constant: Ident,
    pub(super) comment: &'h str,
    pub(super) since: &'h str,
    /// The event that it carries, and how it was sent before.
    pub(super) event: Option<(&'h Event, EventHistory)>,
    /// The first revision with the event, including untagged ones: a runtime that links it knows
    /// the event.
    pub(super) event_first: Option<&'h str>,
    pub(super) deprecation: Option<&'h Deprecation>,
    pub(super) request: &'h Message,
    pub(super) response: &'h Message,
    pub(super) first: First<'h>,
}

/// The messages of an RPC in the first revision that has it, which decide what its handler looks
/// like forever.
pub(super) struct First<'h> {
    pub(super) request: &'h Message,
    pub(super) response: &'h Message,
}

impl PluginRpc<'_> {
    /// Returns true if `StateChange` carries, or carried, the event of this RPC.
    pub(super) fn in_state_change(&self) -> bool {
        self.event.as_ref().is_some_and(|(_, travelled)| travelled.state_change_since.is_some())
    }
}

pub(super) fn read(history: &History) -> Result<Plugin<'_>, Error> {
    let newest = history.revisions().last().ok_or_else(|| missing("no revision at all"))?;
    let (revision, protocol) = (newest.name(), newest.protocol()?);
    let service = protocol.service("Plugin").ok_or_else(|| missing("no service Plugin"))?;
    let rpcs = service.rpcs.iter().map(|declared| rpc(history, revision, protocol, declared));
    let state_change = service.rpc(STATE_CHANGE).and_then(|rpc| protocol.message(&rpc.input));
    let tagged = history.releases().iter().filter(|release| !release.untagged);
    Ok(Plugin {
        rpcs: rpcs.collect::<Result<_, Error>>()?,
        state_change,
        revision,
        protocol,
        releases: tagged.map(|release| release.name.as_str()).collect(),
    })
}

fn rpc<'h>(
    history: &'h History,
    revision: &'h str,
    protocol: &'h Protocol,
    declared: &'h nri_schema::model::Rpc,
) -> Result<PluginRpc<'h>, Error> {
    let message = |full_name: &str| protocol.message(full_name).ok_or_else(|| missing(full_name));
    let since = history.since(revision, &declared.full_name)?;
    let event = protocol.nri.as_ref().and_then(|nri| nri.event_of_rpc(&declared.name));
    let event_first =
        event.map(|event| first_with(history, &event.full_name)).transpose()?.flatten();
    let travelled = event.map(|event| Ok::<_, Error>((event, history.event(revision, event)?)));
    let is_about = |deprecation: &&Deprecation| matches!(&deprecation.interface, Interface::Rpc { rpc, .. } if *rpc == declared.full_name);
    Ok(PluginRpc {
        name: &declared.name,
        handler: ident(&declared.name)?,
        method: ident(&declared.name.to_snake_case())?,
        constant: ident(&declared.name.to_shouty_snake_case())?,
        comment: &declared.about.comment,
        since: since.map_or(revision, |release| &release.name),
        event: travelled.transpose()?,
        event_first,
        deprecation: history.deprecated_in(revision)?.into_iter().find(is_about),
        request: message(&declared.input)?,
        response: message(&declared.output)?,
        first: first(history, &declared.full_name)?,
    })
}

/// Returns the messages of an RPC in the first revision that has it.
fn first<'h>(history: &'h History, full_name: &str) -> Result<First<'h>, Error> {
    for revision in history.revisions() {
        let protocol = revision.protocol()?;
        let mut rpcs = protocol.services.iter().flat_map(|service| &service.rpcs);
        if let Some(rpc) = rpcs.find(|rpc| rpc.full_name == full_name) {
            let message = |name: &str| protocol.message(name).ok_or_else(|| missing(name));
            return Ok(First { request: message(&rpc.input)?, response: message(&rpc.output)? });
        }
    }
    Err(missing(full_name).into())
}

/// Returns the first revision with this element.
pub(super) fn first_with<'h>(
    history: &'h History,
    full_name: &str,
) -> Result<Option<&'h str>, Error> {
    for revision in history.revisions() {
        if revision.protocol()?.has(full_name) {
            return Ok(Some(revision.name()));
        }
    }
    Ok(None)
}

/// Returns the name as an identifier.
pub(super) fn ident(name: &str) -> Result<Ident, Error> {
    match syn::parse_str::<Ident>(name) {
        Ok(ident) => Ok(Ident::new(&ident.to_string(), Span::call_site())),
        Err(_) => {
            Err(Problem::new(ErrorKind::Protocol, format!("`{name}` is no Rust name")).into())
        }
    }
}

fn missing(what: &str) -> Problem {
    Problem::new(ErrorKind::Protocol, format!("the newest revision lacks something: {what}"))
}
