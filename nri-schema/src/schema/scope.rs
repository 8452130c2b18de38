//! The position of the walk over a file, and the features that an element inherits there.

use super::element::Id;
use super::features::Features;
use super::problem;
use crate::error::Error;

type Result<T> = std::result::Result<T, Error>;

/// The position of the walk: names, path and features that declarations here inherit.
pub(super) struct Scope<'a> {
    pub(super) file: usize,
    pub(super) file_name: &'a str,
    pub(super) package: &'a str,
    pub(super) nested: &'a str,
    pub(super) path: &'a [i32],
    pub(super) features: Features,
}

impl Scope<'_> {
    pub(super) fn id(&self, name: &str, what: &'static str, tag: i32, index: usize) -> Result<Id> {
        if name.is_empty() {
            return Err(problem::unnamed(what, self.file_name).into());
        }
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        let path = [self.path, &[tag, index]].concat().into_boxed_slice();
        Ok(Id::new(self.package, self.nested, name, self.file, path))
    }

    pub(super) fn inside<'a>(&'a self, id: &'a Id, features: Features) -> Scope<'a> {
        Scope { nested: id.nested(), path: &id.path, features, ..*self }
    }
}

/// Returns a name in a scope, which may be the root.
pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}
