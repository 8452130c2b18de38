//! An artificial kind of file, to test what reaches a reader separately from the readers.

#![allow(dead_code)] // Each test file takes what it needs.

pub(crate) mod image;

use std::path::PathBuf;

use nri_compat::check::collect::{Collected, Request, collect};
use nri_compat::check::content::File;
use nri_compat::check::evidence::{Reader, Unreadable};
use nri_compat::sighting::{Evidence, FileKind, Sighting};
use nri_compat::skipped::{SkipKind, Skipped};

/// A reader that recognises files starting with `MARK`, and returns one sighting for each, with its
/// whole text.
pub(crate) struct Marker;

impl Reader for Marker {
    fn name(&self) -> &'static str {
        "marker"
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        file.head.starts_with(b"MARK")
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let text = text(file);
        assert!(!text.contains("PANIC"), "as asked");
        if text.contains("FAIL") {
            return Err(Unreadable::new(SkipKind::Broken, "broken as asked"));
        }
        if text.contains("NOTHING") {
            return Ok(Vec::new());
        }
        Ok(vec![Sighting {
            place: file.place.clone(),
            name: Some(file.name.clone()),
            evidence: vec![Evidence { reader: "marker", detail: text }],
            ..Sighting::default()
        }])
    }
}

fn text(file: &File<'_>) -> String {
    let mut text = vec![0; usize::try_from(file.content.len()).unwrap()];
    let read = file.content.read_at(0, &mut text).unwrap();
    assert_eq!(read, text.len());
    String::from_utf8_lossy(&text).trim_end_matches('.').to_owned()
}

/// Returns the places of sightings, in order.
pub(crate) fn paths(found: &Collected) -> Vec<String> {
    let is_shown =
        |sighting: &&Sighting| !is_answer(sighting) && sighting.kind != FileKind::RuntimeConfig;
    let seen = found.sightings.iter().filter(is_shown);
    seen.map(|sighting| sighting.place.to_string()).collect()
}

/// Returns a line for each unrecognised file: its place, and why it is unknown or not a plugin.
pub(crate) fn answers(found: &Collected) -> Vec<String> {
    let answers = found.sightings.iter().filter(|sighting| is_answer(sighting));
    answers.map(|sighting| format!("{}: {}", sighting.place, sighting.evidence[0].detail)).collect()
}

fn is_answer(sighting: &Sighting) -> bool {
    sighting.evidence.first().is_some_and(|evidence| evidence.reader == "check")
}

/// A folder with files, deleted when dropped.
pub(crate) struct Tree {
    _keep: tempfile::TempDir,
    /// The path.
    pub(crate) root: PathBuf,
}

impl Tree {
    /// Creates an empty folder.
    pub(crate) fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        Self { _keep: keep, root }
    }

    /// Adds a file and the folders above it.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Returns the sightings in all files.
    pub(crate) fn collected(&self, readers: &[&dyn Reader]) -> Collected {
        let request = Request { paths: vec![self.root.clone()], threads: 4, ..Request::default() };
        collect(&request, readers)
    }

    /// Returns sightings with the folder removed from their paths.
    pub(crate) fn bare(&self, mut sightings: Vec<Sighting>) -> Vec<Sighting> {
        let root = format!("{}/", self.root.display());
        for sighting in &mut sightings {
            sighting.place.file = sighting.place.file.replace(&root, "");
        }
        sightings
    }
}

/// Returns the sightings in a file called `it`.
pub(crate) fn collected(bytes: &[u8]) -> Collected {
    collected_with(bytes, &Marker)
}

/// Returns the same with another reader.
pub(crate) fn collected_with(bytes: &[u8], reader: &dyn Reader) -> Collected {
    let tree = Tree::new();
    tree.file("it", bytes);
    let request = Request { paths: vec![tree.root.join("it")], threads: 4, ..Request::default() };
    let mut found = collect(&request, &[reader]);
    let root = format!("{}/", tree.root.display());
    found.sightings = tree.bare(found.sightings);
    for skipped in &mut found.skipped {
        skipped.place.file = skipped.place.file.replace(&root, "");
    }
    found
}

/// Returns a line for each skipped file.
pub(crate) fn skipped(found: &Collected) -> Vec<String> {
    let line = |skipped: &Skipped| format!("{}: {}", skipped.place, skipped.reason);
    found.skipped.iter().map(line).collect()
}
