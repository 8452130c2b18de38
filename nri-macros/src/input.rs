//! The checked input: a plugin with valid attributes.

use proc_macro2::{Ident, Span, TokenTree};
use quote::ToTokens;
use syn::{Data, DeriveInput, GenericParam, Generics, LitStr, Path};

use crate::attributes::Attributes;
use crate::diagnostics::{Diagnostics, suggest};
use crate::policies::{self, Policies};
use crate::release;
use crate::renamed;
use crate::table::{RPCS, Rpc};

/// A plugin, ready to be expanded.
pub(crate) struct Plugin {
    pub(crate) ident: Ident,
    /// The generics, including `bound(…)`.
    pub(crate) generics: Generics,
    /// `allow`, `warn`, `deny` and `forbid` of the type, for the lint `deprecated`.
    pub(crate) lints: Vec<syn::Attribute>,
    pub(crate) krate: Path,
    pub(crate) name: Option<String>,
    pub(crate) index: Option<String>,
    pub(crate) protocol: Option<Protocol>,
    /// The listed handlers; `None` if the compiler detects them.
    pub(crate) handles: Option<Handles>,
    pub(crate) policies: Policies,
}

impl Plugin {
    /// Returns true if the type has parameters other than lifetimes.
    pub(crate) fn is_generic(&self) -> bool {
        is_generic(&self.generics)
    }
}

impl Rpc {
    /// Returns true if this is the name of the handler trait, `RunPodSandbox`, or of the event,
    /// `RUN_POD_SANDBOX`.
    pub(crate) fn is_named(&self, name: &Ident) -> bool {
        name == self.name || name == self.constant
    }

    /// Returns true if it carries an event.
    pub(crate) fn carries_event(&self) -> bool {
        self.event_since.is_some()
    }
}

/// The oldest supported release.
pub(crate) struct Protocol {
    pub(crate) written: LitStr,
    pub(crate) release: &'static str,
}

/// The entries of `handles(…)`.
#[derive(Default)]
pub(crate) struct Handles {
    /// The handlers, each with the place where it is listed.
    pub(crate) rpcs: Vec<(&'static Rpc, Span)>,
    /// True if `Connection` is among them.
    pub(crate) connection: Option<Span>,
}

impl Handles {
    /// Returns the place where an RPC is listed.
    pub(crate) fn span(&self, rpc: &Rpc) -> Option<Span> {
        self.rpcs
            .iter()
            .find(|(listed, _)| listed.name == rpc.name)
            .map(|(_, span)| *span)
    }
}

fn is_generic(generics: &Generics) -> bool {
    generics
        .params
        .iter()
        .any(|param| !matches!(param, GenericParam::Lifetime(_)))
}

/// Checks everything that does not depend on which traits the type implements.
pub(crate) fn check(
    input: &DeriveInput,
    attributes: Attributes,
    diagnostics: &mut Diagnostics,
) -> Plugin {
    if let Data::Union(union) = &input.data {
        diagnostics.error(
            union.union_token,
            "a union cannot be a plugin",
            "make it a struct or an enum",
        );
    }
    let protocol = attributes
        .protocol
        .as_ref()
        .and_then(|written| protocol(written, diagnostics));
    let handles = handles(input, &attributes, protocol.as_ref(), diagnostics);
    let policies = policies::check(&attributes, handles.as_ref(), diagnostics);
    Plugin {
        ident: input.ident.clone(),
        generics: with_bound(input.generics.clone(), &attributes),
        lints: input
            .attrs
            .iter()
            .filter(|attribute| is_lint_level(attribute))
            .cloned()
            .collect(),
        krate: attributes.krate.unwrap_or_else(renamed::path),
        name: attributes
            .name
            .and_then(|name| checked(name, is_name, NAME_HELP, diagnostics)),
        index: attributes
            .index
            .and_then(|index| checked(index, is_index, INDEX_HELP, diagnostics)),
        protocol,
        handles,
        policies,
    }
}

/// Returns true if it sets the level of the lint that the expansion may raise, alone or with all
/// others. `expect` is excluded, because it applies to the code of the type itself.
fn is_lint_level(attribute: &syn::Attribute) -> bool {
    let level = ["allow", "warn", "deny", "forbid"]
        .iter()
        .any(|level| attribute.path().is_ident(level));
    let about_it = |token| matches!(token, TokenTree::Ident(lint) if lint == "deprecated" || lint == "warnings");
    let list = attribute.meta.require_list();
    level && list.is_ok_and(|list| list.tokens.clone().into_iter().any(about_it))
}

fn with_bound(mut generics: Generics, attributes: &Attributes) -> Generics {
    if let Some(bound) = &attributes.bound {
        generics
            .make_where_clause()
            .predicates
            .extend(bound.iter().cloned());
    }
    generics
}

const NAME_HELP: (&str, &str) = (
    "is not the name of a plugin",
    "use letters, digits and `_`, `.`, `+`, `-` only",
);
const INDEX_HELP: (&str, &str) = (
    "is not the index of a plugin",
    "use two digits: plugins are called from \"00\" to \"99\"",
);

/// <https://github.com/containerd/nri/blob/v0.12.5/pkg/api/plugin.go>
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte))
}

fn is_index(index: &str) -> bool {
    index.len() == 2 && index.bytes().all(|byte| byte.is_ascii_digit())
}

fn checked(
    literal: LitStr,
    is_right: fn(&str) -> bool,
    (fact, help): (&str, &str),
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let value = literal.value();
    if !is_right(&value) {
        diagnostics.error(
            &literal,
            format!("{} {fact}", literal.to_token_stream()),
            help,
        );
        return None;
    }
    Some(value)
}

fn protocol(written: &LitStr, diagnostics: &mut Diagnostics) -> Option<Protocol> {
    let Some(release) = release::resolve(&written.value()) else {
        let (oldest, newest) = release::range();
        let fact = format!(
            "{} is not a known release of NRI",
            written.to_token_stream()
        );
        diagnostics.error(
            written,
            fact,
            format!("name one from \"{oldest}\" to \"{newest}\""),
        );
        return None;
    };
    Some(Protocol {
        written: written.clone(),
        release,
    })
}

fn handles(
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
    let fact = format!(
        "cannot detect the handlers of `{}`, because it is generic",
        input.ident
    );
    diagnostics.error(
        &input.generics,
        fact,
        "list them: `#[nri(handles(RunPodSandbox, …))]`",
    );
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

fn too_new(rpc: &Rpc, at: &Ident, protocol: Option<&Protocol>, diagnostics: &mut Diagnostics) {
    if let Some((fact, help)) = protocol.and_then(|protocol| newer_than(rpc, protocol)) {
        diagnostics.error(at, fact, help);
    }
}

/// Returns the error for a handler whose event is newer than the oldest supported protocol.
pub(crate) fn newer_than(rpc: &Rpc, protocol: &Protocol) -> Option<(String, String)> {
    let since = rpc
        .event_since
        .filter(|since| release::version(since) > release::version(protocol.release))?;
    let minor = release::minor(since);
    let written = protocol.written.to_token_stream();
    let fact = format!(
        "`{}` handles an event that was added in NRI {since}, newer than `protocol = {written}`",
        rpc.name
    );
    Some((
        fact,
        format!(
            "remove the handler, or write `protocol = \"{minor}\"` if older runtimes need no \
                 support"
        ),
    ))
}
