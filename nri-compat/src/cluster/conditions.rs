//! The warnings of runtimes in the conditions of their nodes: containerd's
//! `ContainerdHasNoDeprecationWarnings`, which is `False` once it warned about something
//! deprecated. k0s, for example, puts the conditions of `crictl info` on the node.

use std::collections::{BTreeMap, BTreeSet};

use crate::sighting::Interface;
use crate::workloads::Node;

/// The type of the condition.
pub const CONDITION: &str = "ContainerdHasNoDeprecationWarnings";

/// The deprecations of NRI, each with the interface that a plugin uses then.
const DEPRECATIONS: [(&str, Interface); 2] = [
    ("io.containerd.deprecation/nri-plugin-interface", Interface::StateChange),
    ("io.containerd.deprecation/nri-v010-plugin", Interface::OneShot),
];

/// Nodes whose runtime warned about plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarnedNodes {
    /// The id of the deprecation.
    pub deprecation: &'static str,
    /// The interface that a plugin on each node uses.
    pub interface: Interface,
    /// The names of the nodes, sorted.
    pub nodes: BTreeSet<String>,
}

/// The nodes by the deprecation of which their runtime warned.
#[derive(Debug, Default)]
pub(super) struct Warnings(BTreeMap<&'static str, BTreeSet<String>>);

impl Warnings {
    /// Adds the warnings in the conditions of a node with this name.
    pub(super) fn add(&mut self, node: &Node, name: &str) {
        let status = node.get("status").into_iter();
        for condition in status.flat_map(|status| status.maps("conditions")) {
            let is_warning = condition.text("type") == Some(CONDITION)
                && condition.text("status") == Some("False");
            let message = condition.text("message").filter(|_| is_warning).unwrap_or_default();
            for (id, _) in DEPRECATIONS.iter().filter(|(id, _)| message.contains(id)) {
                self.0.entry(id).or_default().insert(name.to_owned());
            }
        }
    }

    /// Returns the nodes of each deprecation of which any runtime warned.
    pub(super) fn nodes(self) -> Vec<WarnedNodes> {
        let nodes = self.0.into_iter().filter_map(|(deprecation, nodes)| {
            let (_, interface) = DEPRECATIONS.iter().find(|(id, _)| *id == deprecation)?;
            Some(WarnedNodes { deprecation, interface: interface.clone(), nodes })
        });
        nodes.collect()
    }
}
