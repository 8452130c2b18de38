//! Combines layers: the names under which a container sees a file of one of them.

use std::collections::BTreeSet;

use super::covers::Covers;
use super::layer::{Hit, Layer};
use super::names;
use super::stored::shown_path;
use crate::check::collect::scan::Scan;
use crate::check::collect::unjudged;
use crate::check::evidence;
use crate::escape;
use crate::place::Place;

/// Reports a plain archive, which is a single layer.
pub(super) fn report_archive(scan: &Scan<'_>, layer: &Layer, archive: &Place) {
    layer.report_limits(scan, archive);
    for hit in &layer.hits {
        report(scan, hit, &[layer], 0, archive);
    }
    report_launched(scan, &[layer], archive);
}

/// Reports the links in a folder whose executables a runtime starts, unless they lead to files that
/// are reported under these names. Returns their number.
pub(super) fn report_launched(scan: &Scan<'_>, stack: &[&Layer], place: &Place) -> usize {
    let mut count = 0;
    let mut known: Option<BTreeSet<&[u8]>> = None;
    for (number, layer) in stack.iter().enumerate() {
        for (path, target) in &layer.links.launched {
            let known = known.get_or_insert_with(|| all_names(stack));
            if known.contains(path.as_slice()) || !is_visible(path, stack, number) {
                continue;
            }
            let reason = format!(
                "a link to {}, which is not known to be a plugin or to be none",
                shown_path(target)
            );
            scan.store(unjudged::linked(place, &shown_path(path), &reason));
            count += 1;
        }
        for (path, target) in &layer.links.folders {
            if is_visible(path, stack, number) {
                let reason = format!(
                    "a link to {}, so that runtimes start the executables there, not all of which are recognised",
                    shown_path(target)
                );
                scan.store(unjudged::linked(place, &shown_path(path), &reason));
                count += 1;
            }
        }
    }
    count
}

/// Returns the names of all files with findings.
fn all_names<'l>(stack: &[&'l Layer]) -> BTreeSet<&'l [u8]> {
    let hits = stack.iter().enumerate();
    hits.flat_map(|(number, layer)| layer.hits.iter().map(move |hit| (number, hit)))
        .flat_map(|(number, hit)| names(hit, stack, number))
        .collect()
}

/// Returns true if no layer above layer `number` hides one of its paths.
fn is_visible(path: &[u8], stack: &[&Layer], number: usize) -> bool {
    let below: Vec<&Covers> = stack
        .iter()
        .take(number + 1)
        .map(|one| &one.covers)
        .collect();
    let mut above = stack.iter().skip(number + 1);
    !above.any(|layer| layer.covers.hide(path, &below))
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
    let below: Vec<&Covers> = stack
        .iter()
        .take(number + 1)
        .map(|one| &one.covers)
        .collect();
    for (at, layer) in stack.iter().enumerate().skip(number) {
        let linked = linked(&names, layer);
        if at > number {
            names.retain(|name| !layer.covers.hide(name, &below));
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
        for name in layer.links.hard.get(target).into_iter().flatten() {
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
        for name in names {
            let links = layer.links.symbolic.get(*name).into_iter().flatten();
            let visible = links.filter(|link| is_visible(link, stack, number));
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
        (!names::is_plugin_folder(folder), !is_plugin_name)
    })
}
