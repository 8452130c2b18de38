//! Combines layers: the names under which a container sees a file of one of them.

use std::collections::BTreeSet;

use super::layer::{Hit, Layer};
use super::names;
use super::stored::shown_path;
use crate::check::collect::scan::Scan;
use crate::check::evidence;
use crate::escape;
use crate::place::Place;

/// Reports a plain archive, which is a single layer.
pub(super) fn report_archive(scan: &Scan<'_>, layer: &Layer, archive: &Place) {
    layer.report_limits(scan, archive);
    for hit in &layer.hits {
        report(scan, hit, &[layer], 0, archive);
    }
}

/// Reports a file of layer `number`, if a container sees it when all layers of the stack are
/// applied. Returns true if it does.
pub(super) fn report(
    scan: &Scan<'_>,
    hit: &Hit,
    stack: &[&Layer],
    number: usize,
    place: &Place,
) -> bool {
    let Some(path) = best(names(hit, stack, number)) else {
        return false;
    };
    scan.store(hit.found.clone().moved(place, &shown_path(path)));
    true
}

/// Returns the names of a file of layer `number` that remain when all layers of the stack are
/// applied. Layers above it add names by hard links, to its own name or to another link, and hide
/// names.
fn names<'l>(hit: &'l Hit, stack: &[&'l Layer], number: usize) -> BTreeSet<&'l [u8]> {
    let mut names: BTreeSet<&[u8]> = hit.paths.iter().map(Vec::as_slice).collect();
    if names.is_empty() {
        return names;
    }
    for (at, layer) in stack.iter().enumerate().skip(number) {
        let linked = linked(&names, layer);
        if at > number {
            names.retain(|name| !layer.covers.hide(name));
        }
        names.extend(linked);
    }
    let symbolic = symbolic(&names, stack);
    names.extend(symbolic);
    names
}

/// Returns the names that a layer gives to a file by hard links, including links to links.
fn linked<'l>(names: &BTreeSet<&'l [u8]>, layer: &'l Layer) -> BTreeSet<&'l [u8]> {
    let mut linked = BTreeSet::new();
    let mut pending: Vec<&[u8]> = names.iter().copied().collect();
    while let Some(target) = pending.pop() {
        for name in layer.links.get(target).into_iter().flatten() {
            if linked.insert(name.as_slice()) {
                pending.push(name);
            }
        }
    }
    linked
}

/// Returns the visible symbolic links to a file that have plugin names.
fn symbolic<'l>(names: &BTreeSet<&'l [u8]>, stack: &[&'l Layer]) -> Vec<&'l [u8]> {
    let mut found = Vec::new();
    for (number, layer) in stack.iter().enumerate() {
        let above = stack.iter().skip(number + 1);
        for name in names {
            let links = layer.plugin_links.get(*name).into_iter().flatten();
            let visible = links.filter(|link| !above.clone().any(|layer| layer.covers.hide(link)));
            found.extend(visible.map(Vec::as_slice));
        }
    }
    found
}

/// Returns the name to report: the name that a runtime starts, or else the first name.
fn best(names: BTreeSet<&[u8]>) -> Option<&[u8]> {
    names.into_iter().min_by_key(|path| {
        let (folder, name) = names::split(path);
        let is_plugin_name = evidence::identity(&escape::bytes(name)).0.is_some();
        (!folder.ends_with(names::PLUGIN_FOLDER), !is_plugin_name)
    })
}
