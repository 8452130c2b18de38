//! A pairing as a picture: a plugin, a runtime, and a lane for each outcome of the messages between
//! them.

use crate::report::group::short;
use crate::report::html::verdict::pairing_class;
use crate::report::pairing::{Outcome, Pairing, PairingGroup};

/// The distance between lanes, in units of the drawing.
const LANE_HEIGHT: usize = 44;

/// The height of a picture without lanes.
const MARGIN: usize = 36;

/// The minimum height, with room for the names of the peers.
const MIN_HEIGHT: usize = 80;

/// The maximum number of characters of a name in the picture; the caption has the whole name.
const MAX_NAME: usize = 18;

/// A pairing.
pub(super) struct Picture<'r> {
    /// The name of the plugin's version.
    pub(super) plugin: Peer<'r>,
    /// The name of the runtime's version.
    pub(super) runtime: Peer<'r>,
    /// The name of the outcome.
    pub(super) headline: String,
    /// The height of the drawing.
    pub(super) height: usize,
    /// A lane for each outcome that occurs.
    pub(super) lanes: Vec<Lane>,
    /// The rows of the table below.
    pub(super) groups: Vec<GroupRow<'r>>,
}

/// The name of a peer.
pub(super) struct Peer<'r> {
    /// The whole name.
    pub(super) full: &'r str,
    /// The name in the picture.
    pub(super) short: String,
}

/// The elements with the same outcome, drawn as one line between the peers.
pub(super) struct Lane {
    /// The class of the outcome.
    pub(super) class: &'static str,
    /// The position.
    pub(super) y: usize,
    /// The elements and their outcome.
    pub(super) label: String,
    /// False if the elements do not arrive, or arrive changed.
    pub(super) arrives: bool,
    /// True if the elements take the fallback.
    pub(super) dashed: bool,
}

/// Elements with the same outcome and detail.
pub(super) struct GroupRow<'r> {
    /// The class of the outcome.
    pub(super) class: &'static str,
    /// The name of the outcome.
    pub(super) word: &'static str,
    /// The names of the elements.
    pub(super) elements: String,
    /// The fact behind the outcome.
    pub(super) detail: &'r str,
}

impl<'r> Picture<'r> {
    pub(super) fn new(pairing: &'r Pairing) -> Self {
        let outcomes = Outcome::ALL.into_iter();
        let labels = outcomes.filter_map(|outcome| Some((outcome, pairing.part(outcome)?)));
        let lanes: Vec<Lane> = labels.enumerate().map(lane).collect();
        let groups = Outcome::ALL.into_iter();
        let groups = groups.flat_map(|outcome| pairing.groups(outcome));
        Self {
            plugin: Peer::new(&pairing.plugin),
            runtime: Peer::new(&pairing.runtime),
            headline: pairing.headline(),
            height: (MARGIN + lanes.len() * LANE_HEIGHT).max(MIN_HEIGHT),
            lanes,
            groups: groups.map(|group| row(&group)).collect(),
        }
    }

    /// Returns position, kind and name of both peers.
    pub(super) fn boxes(&self) -> [(usize, &'static str, &Peer<'r>); 2] {
        [(4, "plugin", &self.plugin), (490, "runtime", &self.runtime)]
    }
}

impl<'r> Peer<'r> {
    fn new(full: &'r str) -> Self {
        let length = full.chars().count();
        let short = if length > MAX_NAME {
            // The end of a path is more informative than its start.
            let end: String = full.chars().skip(length - (MAX_NAME - 1)).collect();
            format!("…{end}")
        } else {
            full.to_owned()
        };
        Self { full, short }
    }
}

fn lane((nth, (outcome, part)): (usize, (Outcome, String))) -> Lane {
    Lane {
        class: pairing_class(outcome),
        y: MARGIN + 6 + nth * LANE_HEIGHT,
        label: match outcome {
            Outcome::Works => format!("{part}: {}", outcome.title()),
            Outcome::Fallback
            | Outcome::Loses
            | Outcome::LosesPresence
            | Outcome::Misreads
            | Outcome::Unknown
            | Outcome::Fails
            | Outcome::Dropped => part,
        },
        arrives: matches!(outcome, Outcome::Works | Outcome::Fallback),
        dashed: outcome == Outcome::Fallback,
    }
}

fn row<'r>(group: &PairingGroup<'r>) -> GroupRow<'r> {
    let elements = group.items.iter().map(|item| short(&item.element));
    GroupRow {
        class: pairing_class(group.outcome),
        word: group.outcome.title(),
        elements: elements.collect::<Vec<_>>().join(", "),
        detail: group.detail,
    }
}

#[cfg(test)]
mod tests {
    use super::Peer;

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(Peer::new("v0.12.5").short, "v0.12.5");
        let peer = Peer::new("protos/of/a/fork/api.proto");
        assert_eq!(peer.short, "…/a/fork/api.proto");
        assert_eq!(peer.short.chars().count(), super::MAX_NAME);
    }
}
