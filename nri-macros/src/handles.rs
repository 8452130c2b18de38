//! The handlers listed in `handles(…)`.

use proc_macro2::{Ident, Span};
use syn::{DeriveInput, GenericParam, Generics};

use crate::attributes::Attributes;
use crate::diagnostics::{Diagnostics, suggest};
use crate::protocol::Protocol;
use crate::table::{RPCS, Rpc};

impl Rpc {
    /// Returns true if this is the name of the handler trait, such as `RunPodSandbox`.
    pub(crate) fn is_named(&self, name: &Ident) -> bool {
        name == self.name
    }

    /// Returns the name of the method of the handler trait.
    pub(crate) fn method(&self) -> String {
        self.constant.to_lowercase()
    }

    /// Returns true if it carries an event.
    pub(crate) fn carries_event(&self) -> bool {
        self.event_since.is_some()
    }
}

/// The source of the list of handlers.
#[derive(Default)]
pub(crate) enum Source {
    /// `handles(…)`.
    #[default]
    List,
    /// The block of `#[nri::plugin]`.
    Block,
}

/// The handlers of a plugin, as far as the macro knows them.
#[derive(Default)]
pub(crate) struct Handles {
    pub(crate) source: Source,
    /// The handlers, each with the place where it is listed.
    pub(crate) rpcs: Vec<(&'static Rpc, Span)>,
    /// The place of `Connection`, if it is among them.
    pub(crate) connection: Option<Span>,
    /// The listed RPCs that have no impl, because an error is reported for their method.
    pub(crate) mistaken: Vec<&'static str>,
}

impl Handles {
    /// Returns the place where an RPC is listed.
    pub(crate) fn span(&self, rpc: &Rpc) -> Option<Span> {
        self.rpcs.iter().find(|(listed, _)| listed.name == rpc.name).map(|(_, span)| *span)
    }

    /// Returns the place where an RPC is listed that has an impl.
    pub(crate) fn implemented(&self, rpc: &Rpc) -> Option<Span> {
        self.span(rpc).filter(|_| !self.mistaken.contains(&rpc.name))
    }
}

/// Returns true if there are parameters other than lifetimes.
pub(crate) fn is_generic(generics: &Generics) -> bool {
    generics.params.iter().any(|param| !matches!(param, GenericParam::Lifetime(_)))
}

/// Checks the list, or that the type needs none.
pub(crate) fn check(
    input: &DeriveInput,
    attributes: &Attributes,
    protocol: Option<&Protocol>,
    diagnostics: &mut Diagnostics,
) -> Option<Handles> {
    let Some(listed) = &attributes.handles else {
        return is_generic(&input.generics).then(|| not_listed(input, diagnostics));
    };
    let mut handles = Handles::default();
    for name in listed {
        match RPCS.iter().find(|rpc| rpc.is_named(name)) {
            Some(rpc) => {
                too_new(rpc, name, protocol, diagnostics);
                handles.rpcs.push((rpc, name.span()));
            }
            None if name == "Connection" => handles.connection = Some(name.span()),
            None => unknown_handler(name, diagnostics),
        }
    }
    Some(handles)
}

/// Rejects a generic type without a list: no constant can depend on whether it implements a trait.
fn not_listed(input: &DeriveInput, diagnostics: &mut Diagnostics) -> Handles {
    let fact = format!("cannot detect the handlers of `{}`, because it is generic", input.ident);
    diagnostics.error(&input.generics, fact, "list them: `#[nri(handles(RunPodSandbox, …))]`");
    Handles::default()
}

fn unknown_handler(name: &Ident, diagnostics: &mut Diagnostics) {
    let known = RPCS.iter().map(|rpc| rpc.name).chain(["Connection"]);
    diagnostics.error(
        name,
        format!("`{name}` is not a handler trait"),
        suggest(&name.to_string(), known),
    );
}

pub(crate) fn too_new(
    rpc: &Rpc,
    at: &Ident,
    protocol: Option<&Protocol>,
    diagnostics: &mut Diagnostics,
) {
    if let Some((fact, help)) = protocol.and_then(|protocol| protocol.error_if_newer(rpc)) {
        diagnostics.error(at, fact, help);
    }
}
