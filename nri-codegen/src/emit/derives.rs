//! The derives of messages: those that a type of the caller rules out, and those that the caller
//! adds although prost-build adds them too.

use std::collections::{BTreeMap, BTreeSet};

use prost_build::Module;
use prost_types::{DescriptorProto, FileDescriptorProto};
use quote::ToTokens as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, Path, Token, parse_quote};

use super::Options;
use super::naming::{type_name, value_name};
use nri_schema::{ErrorKind, Problem};

/// The traits that prost-build derives if the types of all fields could have them. It does not know
/// whether types of the caller do.
const GUESSED: [&str; 3] = ["Copy", "Eq", "Hash"];

/// The traits that a derive of prost implements in addition to its own.
const IMPLIED: [(&str, &[&str]); 3] =
    [("Message", &["Debug", "Default"]), ("Oneof", &["Debug"]), ("Enumeration", &["Default"])];

/// Removes guessed derives from the messages that hold a type of the caller, in themselves or in
/// another message.
pub(super) fn remove_guessed(items: &mut [Item], module: &str, holders: &BTreeSet<String>) {
    for item in items {
        match item {
            Item::Struct(item) if holders.contains(&format!("{module}{}", item.ident)) => {
                item.attrs.iter_mut().for_each(remove_from);
            }
            // The module of a message has its oneofs.
            Item::Enum(item) if holders.contains(module) => {
                item.attrs.iter_mut().for_each(remove_from);
            }
            Item::Mod(inner) => {
                let path = format!("{module}{}::", inner.ident);
                if let Some((_, content)) = &mut inner.content {
                    remove_guessed(content, &path, holders);
                }
            }
            _ => {}
        }
    }
}

fn remove_from(attribute: &mut Attribute) {
    let traits = derived(attribute);
    if !traits.iter().any(is_of_prost) {
        return;
    }
    let is_kept = |path: &&Path| !GUESSED.iter().any(|guessed| is(path, guessed));
    let kept: Vec<&Path> = traits.iter().filter(is_kept).collect();
    *attribute = parse_quote!(#[derive(#(#kept),*)]);
}

/// Returns the Rust paths of the messages of a module that hold a type of the caller, each also as
/// the path of its module, which ends with `::`.
pub(super) fn holders(
    files: &[FileDescriptorProto],
    module: &Module,
    options: &Options,
) -> BTreeSet<String> {
    let mut messages = BTreeMap::new();
    for file in files {
        let scope = match file.package() {
            "" => String::new(),
            package => format!(".{package}"),
        };
        let is_of_module = Module::from_protobuf_package_name(file.package()) == *module;
        for message in &file.message_type {
            collect(message, &scope, "", is_of_module, &mut messages);
        }
    }
    let mut affected: BTreeSet<&str> = BTreeSet::new();
    loop {
        let holds = |message: &Held| {
            message
                .types
                .iter()
                .any(|name| is_extern(name, options) || affected.contains(name.as_str()))
        };
        let more: Vec<&str> = messages
            .iter()
            .filter(|(name, message)| !affected.contains(name.as_str()) && holds(message))
            .map(|(name, _)| name.as_str())
            .collect();
        if more.is_empty() {
            break;
        }
        affected.extend(more);
    }
    affected
        .into_iter()
        .filter_map(|name| messages.get(name)?.rust.clone())
        .flat_map(|(message, parent)| [message, parent])
        .collect()
}

/// A message with what it holds.
struct Held {
    /// The types of its fields, with a leading dot.
    types: Vec<String>,
    /// The Rust path of the message and that of its module; `None` outside of the module.
    rust: Option<(String, String)>,
}

fn collect(
    message: &DescriptorProto,
    scope: &str,
    module: &str,
    is_of_module: bool,
    messages: &mut BTreeMap<String, Held>,
) {
    let full = format!("{scope}.{}", message.name());
    let inner = format!("{module}{}::", value_name(message.name()));
    for nested in &message.nested_type {
        collect(nested, &full, &inner, is_of_module, messages);
    }
    let types = message.field.iter().map(|field| field.type_name()).filter(|name| !name.is_empty());
    let path = format!("{module}{}", type_name(message.name()));
    let held = Held {
        types: types.map(str::to_owned).collect(),
        rust: is_of_module.then_some((path, inner)),
    };
    messages.insert(full, held);
}

fn is_extern(name: &str, options: &Options) -> bool {
    options.externs.iter().any(|(proto, _)| {
        let rest = name.strip_prefix(proto.as_str());
        proto == "." || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Returns a problem for each trait that a type derives twice, which rustc would only call a
/// conflict of implementations.
pub(super) fn repeated(items: &[Item]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for item in items {
        let (ident, attributes) = match item {
            Item::Struct(item) => (&item.ident, &item.attrs),
            Item::Enum(item) => (&item.ident, &item.attrs),
            Item::Mod(inner) => {
                if let Some((_, content)) = &inner.content {
                    problems.extend(repeated(content));
                }
                continue;
            }
            _ => continue,
        };
        let traits: Vec<Path> = attributes.iter().flat_map(derived).collect();
        let mut known: Vec<String> =
            traits.iter().flat_map(implied).map(|&name| name.to_owned()).collect();
        for name in traits.iter().map(full) {
            if known.iter().any(|known| is_same(known, &name)) {
                problems.push(twice(&ident.to_string(), &name));
            }
            known.push(name);
        }
    }
    problems
}

fn twice(item: &str, name: &str) -> Problem {
    let fact = format!("`{item}` derives `{name}` already");
    Problem::new(ErrorKind::Option, fact)
        .with_help(format!("remove `{name}` from the derives for `{item}`"))
}

fn implied(path: &Path) -> &'static [&'static str] {
    let mut known = IMPLIED.iter().filter(|(derive, _)| is_of_prost(path) && is(path, derive));
    known.next().map_or(&[], |(_, implied)| implied)
}

/// Returns true if it is a derive of prost, under any path.
fn is_of_prost(path: &Path) -> bool {
    path.segments.len() > 1 && IMPLIED.iter().any(|(derive, _)| is(path, derive))
}

fn is(path: &Path, name: &str) -> bool {
    last(path) == name
}

fn last(path: &Path) -> String {
    let segment = path.segments.last();
    segment.map_or_else(String::new, |segment| segment.ident.to_token_stream().to_string())
}

/// Returns the path as text. A trait of the standard library is only its name.
fn full(path: &Path) -> String {
    let segments: Vec<String> =
        path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    match segments.as_slice() {
        [root, .., name] if ["alloc", "core", "std"].contains(&root.as_str()) => name.clone(),
        segments => segments.join("::"),
    }
}

/// Returns true if two paths name the same trait; a name alone may be that of any path.
fn is_same(one: &str, other: &str) -> bool {
    let is_end =
        |long: &str, name: &str| !name.contains("::") && long.rsplit("::").next() == Some(name);
    one == other || is_end(one, other) || is_end(other, one)
}

fn derived(attribute: &Attribute) -> Vec<Path> {
    if !attribute.path().is_ident("derive") {
        return Vec::new();
    }
    let traits = attribute.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
    traits.map_or_else(|_| Vec::new(), |traits| traits.into_iter().collect())
}
