//! The checked input: a plugin with valid attributes.

use proc_macro2::{Ident, TokenTree};
use quote::ToTokens;
use syn::{Data, DeriveInput, Generics, LitStr, Path};

use crate::attributes::Attributes;
use crate::diagnostics::Diagnostics;
use crate::handles::{self, Handles, is_generic};
use crate::policies::{self, Policies};
use crate::protocol::{self, Protocol};
use crate::renamed;

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
        .and_then(|written| protocol::read(written, diagnostics));
    let handles = handles::check(input, &attributes, protocol.as_ref(), diagnostics);
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
