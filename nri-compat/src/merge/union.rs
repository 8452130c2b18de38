//! The same plugin in the report of a node and in that of its cluster.

use std::collections::BTreeSet;

use crate::place::Place;

/// The way in which a report saw a plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SeenAs {
    /// As a file, or in any other way.
    #[default]
    File,
    /// As the program of a process, with the path of the program.
    Process(String),
    /// As a program in the image of a container of a cluster, with the path of the program.
    Container(String),
}

/// The facts about a plugin that do not depend on the way in which a report saw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program<'f> {
    pub(super) seen_as: &'f SeenAs,
    /// The identity of the program, and the release of NRI, both from its build.
    pub(super) build: &'f [Option<String>; 2],
    pub(super) events: &'f BTreeSet<String>,
}

impl SeenAs {
    pub(super) fn new(place: &Place) -> Self {
        match &place.entry {
            Some(entry) if place.workload.is_some() => Self::Container(entry.clone()),
            None if !place.pids.is_empty() => Self::Process(place.file.clone()),
            Some(_) | None => Self::File,
        }
    }
}

impl Program<'_> {
    /// Reports whether a process on a node is this program of a container on the same node: the
    /// process sees the program under its path in the image.
    pub(super) fn is_process_of(&self, container: &Program<'_>) -> bool {
        let (SeenAs::Process(process), SeenAs::Container(image)) =
            (self.seen_as, container.seen_as)
        else {
            return false;
        };
        process == image && (self.build, self.events) == (container.build, container.events)
    }
}
