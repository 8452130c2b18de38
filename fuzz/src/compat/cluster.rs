//! Reads any bytes as lists of nodes, pods and other workloads of a cluster, a list per line after the
//! number of its resource: to the end, without a panic. A plugin that runs is on nodes of its pods, and
//! each container is listed once.

use std::collections::BTreeSet;

use nri_compat::cluster::{RESOURCES, Resource, of_lists};

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let resources: &'static [Resource] = &RESOURCES;
    let lists = bytes.split(|byte| *byte == b'\n').filter_map(|line| {
        let (first, list) = line.split_first()?;
        Some((resources.get(usize::from(first.wrapping_sub(b'0')))?, list))
    });
    let lists: Vec<_> = lists.collect();
    let Ok(cluster) = of_lists(&lists) else {
        return;
    };
    let mut names = BTreeSet::new();
    for plugin in &cluster.plugins {
        assert!(plugin.nodes.len() as u64 <= plugin.pods);
        assert!(!plugin.reason.is_empty());
        assert!(names.insert((&plugin.place, &plugin.image)));
    }
}
