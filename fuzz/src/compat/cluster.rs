//! Reads any bytes as lists of nodes, pods and other workloads of a cluster, a list per line after
//! the number of its resource: to the end, without a panic. A plugin that runs is on nodes of its
//! pods, and each container is listed once.

use std::collections::BTreeSet;

use nri_compat::cluster::{Inventory, RESOURCES};

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let mut inventory = Inventory::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Some((first, list)) = line.split_first()
            && let Some(resource) = RESOURCES.get(usize::from(first.wrapping_sub(b'0')))
        {
            let _ = inventory.add_page(resource, list);
        }
    }
    let plugins = inventory.plugins();
    let mut names = BTreeSet::new();
    for plugin in &plugins {
        assert!(plugin.nodes.len() as u64 <= plugin.pods);
        assert!(!plugin.reason.is_empty());
        assert!(names.insert((&plugin.place, &plugin.image)));
    }
}
