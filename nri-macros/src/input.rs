//! The checked input: a plugin with valid attributes.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, GenericParam, Generics, LitStr, Path, parse_quote};

use crate::attributes::Attributes;
use crate::diagnostics::Diagnostics;
use crate::handles::{self, Handles, is_generic};
use crate::policies::{self, Policies};
use crate::protocol::{self, Protocol};

/// A plugin, ready to be expanded.
pub(crate) struct Plugin {
    pub(crate) ident: Ident,
    /// The type. Its lifetimes are `'static`, because a plugin owns its data.
    pub(crate) this: TokenStream,
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

/// The type that an attribute is for.
pub(crate) struct Subject<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) this: TokenStream,
    pub(crate) generics: Generics,
    pub(crate) attributes: &'a [syn::Attribute],
}

/// Checks a type with `#[derive(NriPlugin)]`.
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
    let protocol = protocol(&attributes, diagnostics);
    let handles = handles::check(input, &attributes, protocol.as_ref(), diagnostics);
    let mut generics = input.generics.clone();
    if let Some(bound) = &attributes.bound {
        let bounds = &mut generics.make_where_clause().predicates;
        bounds.extend(bound.iter().cloned());
    }
    let subject = Subject {
        ident: &input.ident,
        this: derived_type(&input.ident, &input.generics),
        generics,
        attributes: &input.attrs,
    };
    plugin(subject, attributes, protocol, handles, diagnostics)
}

/// Reads the oldest supported release.
pub(crate) fn protocol(attributes: &Attributes, diagnostics: &mut Diagnostics) -> Option<Protocol> {
    let written = attributes.protocol.as_ref()?;
    protocol::read(written, diagnostics)
}

/// Returns the path of the `nri` crate.
pub(crate) fn krate(attributes: &Attributes) -> Path {
    let renamed = attributes.krate.clone();
    renamed.unwrap_or_else(|| parse_quote!(::nri))
}

/// Checks everything that does not depend on which traits the type implements.
pub(crate) fn plugin(
    subject: Subject<'_>,
    attributes: Attributes,
    protocol: Option<Protocol>,
    handles: Option<Handles>,
    diagnostics: &mut Diagnostics,
) -> Plugin {
    let policies = policies::check(&attributes, handles.as_ref(), diagnostics);
    Plugin {
        ident: subject.ident.clone(),
        this: subject.this,
        generics: subject.generics,
        lints: subject
            .attributes
            .iter()
            .filter(|attribute| is_lint_level(attribute))
            .cloned()
            .collect(),
        krate: krate(&attributes),
        name: attributes.name.and_then(|name| checked(name, is_name, NAME_HELP, diagnostics)),
        index: attributes.index.and_then(|index| checked(index, is_index, INDEX_HELP, diagnostics)),
        protocol,
        handles,
        policies,
    }
}

/// Returns true if it sets the level of the lint that the expansion may raise, alone or with all
/// others. `expect` is excluded, because it applies to the code of the type itself.
fn is_lint_level(attribute: &syn::Attribute) -> bool {
    let level =
        ["allow", "warn", "deny", "forbid"].iter().any(|level| attribute.path().is_ident(level));
    let about_it = |token| matches!(token, TokenTree::Ident(lint) if lint == "deprecated" || lint == "warnings");
    let list = attribute.meta.require_list();
    level && list.is_ok_and(|list| list.tokens.clone().into_iter().any(about_it))
}

fn derived_type(ident: &Ident, generics: &Generics) -> TokenStream {
    let arguments = generics.params.iter().map(|param| match param {
        GenericParam::Lifetime(_) => quote!('static),
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(param) => param.ident.to_token_stream(),
    });
    let bracketed = (!generics.params.is_empty()).then(|| quote!(<#(#arguments),*>));
    quote!(#ident #bracketed)
}

const NAME_HELP: (&str, &str) =
    ("is not the name of a plugin", "use letters, digits and `_`, `.`, `+`, `-` only");
const INDEX_HELP: (&str, &str) =
    ("is not the index of a plugin", "use two digits: plugins are called from \"00\" to \"99\"");

/// <https://github.com/containerd/nri/blob/v0.12.5/pkg/api/plugin.go>
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte))
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
        diagnostics.error(&literal, format!("{} {fact}", literal.to_token_stream()), help);
        return None;
    }
    Some(value)
}
