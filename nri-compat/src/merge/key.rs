//! The identity of a plugin across nodes.

use std::borrow::Cow;

use super::document::Subject;
use crate::sighting::Built;

/// The identity of a plugin across nodes. Process ids are no part of it: they differ on each node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PluginKey {
    pub(super) name: Option<String>,
    pub(super) index: Option<String>,
    pub(super) path: String,
    pub(super) program: Option<String>,
    version: Option<String>,
    at_least: Option<String>,
    below: Option<String>,
}

impl PluginKey {
    /// Returns the identity of a subject.
    pub(super) fn of(subject: &Subject<'_>) -> Self {
        let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
        Self {
            name: owned(&subject.name),
            index: owned(&subject.index),
            path: path(subject).to_owned(),
            program: owned(&subject.program),
            version: owned(&subject.nri.version),
            at_least: owned(&subject.nri.at_least),
            below: owned(&subject.nri.below),
        }
    }

    /// Returns the size of its texts in bytes.
    pub(super) fn len(&self) -> usize {
        let others = [
            &self.name,
            &self.index,
            &self.program,
            &self.version,
            &self.at_least,
            &self.below,
        ];
        self.path.len() + others.into_iter().flatten().map(String::len).sum::<usize>()
    }

    /// Returns the NRI that the plugin was built with.
    pub(super) fn built(&self) -> Built {
        Built {
            version: self.version.clone(),
            at_least: self.at_least.clone(),
            below: self.below.clone(),
        }
    }
}

/// Returns the path without the processes that run the file, which end it: `/bin/p (pid 12, 15)`.
fn path<'s>(subject: &'s Subject<'_>) -> &'s str {
    let path = subject.path.as_ref();
    if subject.place.pids.is_empty() || !path.ends_with(')') {
        return path;
    }
    path.rsplit_once(" (pid ").map_or(path, |(file, _)| file)
}
