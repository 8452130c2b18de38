//! Folders, walked in parallel.

use std::fs::FileType;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::archive;
use super::pseudo::Pseudo;
use super::roots::Root;
use super::scan::{Scan, Via};
use crate::check::place::Place;
use crate::check::skipped::{SkipKind, Unreadable};

/// Hands every file of a folder to the scan.
///
/// Links to files are followed, links to folders are not: that ends every cycle. Fifos, sockets and devices are never
/// opened.
pub(super) fn folder(scan: &Scan<'_>, root: &Root) {
    let pseudo = Pseudo::here();
    let walk = WalkBuilder::new(&root.path)
        .standard_filters(false)
        .follow_links(false)
        .threads(scan.threads)
        .build_parallel();
    walk.run(|| {
        Box::new(|entry| match entry {
            Ok(entry) => visit(scan, root, &pseudo, &entry),
            Err(error) => {
                failed(scan, root, &error);
                WalkState::Continue
            }
        })
    });
}

fn visit(scan: &Scan<'_>, root: &Root, pseudo: &Pseudo, entry: &DirEntry) -> WalkState {
    let (path, kind) = (entry.path(), entry.file_type());
    let is = |test: fn(&FileType) -> bool| kind.as_ref().is_some_and(test);
    if is(FileType::is_dir) {
        if pseudo.is(path) {
            let why = Unreadable::new(
                SkipKind::PseudoFilesystem,
                "a pseudo filesystem, not walked",
            );
            scan.skip(Place::of(&as_named(root, path)), why);
            return WalkState::Skip;
        }
        if path.file_name() == Some("blobs".as_ref()) && is_layout(path.parent()) {
            return WalkState::Skip;
        }
    } else if is(FileType::is_file) && path.file_name() == Some("oci-layout".as_ref()) {
        layout(scan, root, path);
    } else if is(FileType::is_file) {
        scan.walked(path, &as_named(root, path), Via::Name);
    } else if is(FileType::is_symlink) {
        link(scan, root, path);
    }
    WalkState::Continue
}

/// Whether a folder is an OCI layout, whose blobs are looked at as images.
fn is_layout(folder: Option<&Path>) -> bool {
    let has = |name: &str| folder.is_some_and(|folder| folder.join(name).is_file());
    has("oci-layout") && has("index.json")
}

fn layout(scan: &Scan<'_>, root: &Root, mark: &Path) {
    if let Some(folder) = mark.parent().filter(|folder| is_layout(Some(folder))) {
        archive::read_layout(scan, folder, &as_named(root, folder));
    }
}

/// A link that leads nowhere is nothing that could be looked at, and nothing to be told of: folders are full of them.
fn link(scan: &Scan<'_>, root: &Root, path: &Path) {
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        scan.walked(path, &as_named(root, path), Via::Link);
    }
}

/// The path with the folder spelled as the user spelled it.
fn as_named(root: &Root, path: &Path) -> PathBuf {
    match path.strip_prefix(&root.path) {
        Ok(rest) if rest.as_os_str().is_empty() => root.shown.clone(),
        Ok(rest) => root.shown.join(rest),
        Err(_) => path.to_owned(),
    }
}

fn failed(scan: &Scan<'_>, root: &Root, error: &ignore::Error) {
    let place = place(error).map_or_else(|| root.shown.clone(), |path| as_named(root, path));
    let why = match error.io_error() {
        Some(io) => Unreadable::from(io),
        None => Unreadable::new(SkipKind::Io, error.to_string()),
    };
    scan.skip(Place::of(&place), why);
}

/// The path an error of the walk is about.
fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            place(err)
        }
        ignore::Error::Partial(all) => all.first().and_then(place),
        _ => None,
    }
}
