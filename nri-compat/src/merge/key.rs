//! The identity of a plugin across nodes.

use crate::place::Place;
use crate::report::check::Subject;
use crate::sighting::Built;

/// The identity of a plugin across nodes. Process ids are no part of it: they differ on each node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PluginKey {
    pub(super) name: Option<String>,
    pub(super) index: Option<String>,
    pub(super) path: String,
    pub(super) program: Option<String>,
    pub(super) nri: Built,
}

impl PluginKey {
    /// Returns the identity of a subject.
    pub(super) fn new(subject: &Subject) -> Self {
        let place = Place {
            pids: Vec::new(),
            ..subject.place.whole_file()
        };
        Self {
            name: subject.name.clone(),
            index: subject.index.clone(),
            path: place.to_string(),
            program: subject.program.clone(),
            nri: subject.nri.clone(),
        }
    }

    /// Returns the size of its texts in bytes.
    pub(super) fn len(&self) -> usize {
        let others = [
            &self.name,
            &self.index,
            &self.program,
            &self.nri.version,
            &self.nri.at_least,
            &self.nri.below,
        ];
        self.path.len() + others.into_iter().flatten().map(String::len).sum::<usize>()
    }
}
