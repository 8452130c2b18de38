//! Finds types that the documentation hides, although a public signature names them.

use std::collections::BTreeSet;

/// The kinds of items that are types, or lead to one.
const KINDS: [&str; 6] = ["enum ", "struct ", "trait ", "type ", "union ", "use "];

/// Returns the first line of a crate's interface that names a type of the crate which the interface
/// does not have.
pub(super) fn first<'i>(name: &str, interface: &'i str) -> Option<&'i str> {
    let listed: BTreeSet<&str> = interface.lines().filter_map(listed).collect();
    let prefix = format!("{}::", name.replace('-', "_"));
    // A hidden trait may be implemented.
    let mut signatures = interface.lines().filter(|line| !line.starts_with("impl"));
    signatures.find(|line| types(line, &prefix).any(|path| !listed.contains(path)))
}

/// Returns the path of the type on its own line.
fn listed(line: &str) -> Option<&str> {
    let (_, item) = line.split_once("pub ")?;
    let item = item.strip_prefix("unsafe ").unwrap_or(item);
    KINDS.iter().find_map(|kind| paths(item.strip_prefix(kind)?).next())
}

/// Returns the types of the crate that a line names. A sealed trait has no other use than to be
/// hidden.
fn types<'l>(line: &'l str, prefix: &str) -> impl Iterator<Item = &'l str> {
    let own = paths(line).filter(move |path| path.starts_with(prefix));
    own.filter_map(up_to_type).filter(|path| !path.contains("::sealed::"))
}

fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .map(|word| word.trim_matches(':'))
        .filter(|word| !word.is_empty())
}

/// Returns the path without what follows the type, such as a method.
fn up_to_type(path: &str) -> Option<&str> {
    let segment = path.split("::").find(|segment| is_type(segment))?;
    let start = path.find(&format!("::{segment}"))?;
    path.get(..start + "::".len() + segment.len())
}

/// Returns true if a segment is the name of a type, not of a module or a constant.
fn is_type(segment: &str) -> bool {
    segment.starts_with(char::is_uppercase) && segment.contains(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::first;

    const INTERFACE: &str = "pub mod nri_x::a
#[non_exhaustive] pub struct nri_x::a::Shown<'a>
pub trait nri_x::a::Sealed: core::marker::Sized + nri_x::a::sealed::Own
pub const nri_x::a::LIMIT: usize
pub fn nri_x::a::Shown<'a>::get(&self, nri::Event) -> &nri_x::a::Shown<'a>
pub use nri_x::Macro
impl nri_x::b::Trait for nri_x::a::Shown<'_>
pub fn nri_x::make() -> nri_x::Macro
";

    #[test]
    fn a_hidden_type_in_a_signature_is_found() {
        assert_eq!(first("nri-x", INTERFACE), None);
        let line = "pub fn nri_x::set(impl core::ops::function::Fn(&nri_x::b::Hidden))";
        let more = format!("{INTERFACE}{line}\n");
        assert_eq!(first("nri-x", &more), Some(line));
    }
}
