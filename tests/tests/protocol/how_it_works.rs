//! The page about how the toolkit works names the folders of `nri-compat` that exist, and no
//! others.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders whose subfolders are steps of their own; those of the others are details of one
/// step.
const SPLIT: [&str; 4] = ["check", "cli", "diff", "report"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the names of the subfolders of a folder.
fn subfolders(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().expect("a readable folder");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    let folders = paths.filter(|path| path.is_dir());
    folders.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// Returns the folders of the sources, with those that are steps of their own.
fn folders() -> BTreeSet<String> {
    let source = repository().join("nri-compat/src");
    let mut all: BTreeSet<String> = subfolders(&source).into_iter().collect();
    for outer in SPLIT {
        let inner = subfolders(&source.join(outer));
        all.extend(inner.into_iter().map(|inner| format!("{outer}/{inner}")));
    }
    // It has nothing but steps.
    all.remove("check");
    all
}

/// Returns the folders that the page names: the words in code that consist of lower-case letters,
/// `_` and `/`, without those of commands and crates.
fn named() -> BTreeSet<String> {
    let page = fs::read_to_string(repository().join("docs/src/how-it-works.md")).unwrap();
    let (_, section) = page.split_once("### The way of the data").expect("the section exists");
    let rows = section.lines().filter(|line| line.starts_with('|'));
    let last_cells = rows.filter_map(|row| row.trim_end_matches('|').rsplit('|').next());
    let mut named: BTreeSet<String> = last_cells.flat_map(in_code).collect();
    named.extend(section.lines().filter(|line| !line.starts_with('|')).flat_map(in_code));
    let commands = ["check", "logs", "conformance", "probe", "record", "replay", "nri-compat/src"];
    named.retain(|name| !commands.contains(&name.as_str()));
    named
}

/// Returns the names of folders in a text: words in backquotes.
fn in_code(text: &str) -> Vec<String> {
    let words = text.split('`').skip(1).step_by(2);
    words.filter(|word| is_folder(word)).map(str::to_owned).collect()
}

fn is_folder(word: &str) -> bool {
    // Crates have hyphens.
    let is_crate = word.contains('-') && !word.contains('/');
    let is_path = word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'/' | b'-'));
    !word.is_empty() && is_path && !is_crate
}

#[test]
fn every_folder_has_its_place_on_the_page() {
    assert_eq!(named(), folders());
}
