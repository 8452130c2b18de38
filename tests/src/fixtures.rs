//! The pairs of schemas in `fixtures/breaking`, one folder for each rule.

use std::path::{Path, PathBuf};

use crate::compare::Side;

/// A schema before and after a change.
pub struct Fixture {
    /// The rule that it tests.
    pub rule: String,
    /// The schema before.
    pub previous: Side,
    /// The schema after.
    pub current: Side,
}

/// Returns the folder with a folder for each rule.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/breaking")
}

/// Returns every fixture, in the order of the rules' names.
///
/// # Panics
///
/// Panics if one cannot be read or does not compile.
pub fn all() -> Vec<Fixture> {
    names(&root()).into_iter().map(fixture).collect()
}

fn fixture(rule: String) -> Fixture {
    let side = |name| {
        Side::new(&root().join(&rule).join(name))
            .unwrap_or_else(|error| panic!("{rule}/{name}: {error}"))
    };
    Fixture { previous: side("previous"), current: side("current"), rule }
}

/// Returns the names in a folder without their extensions, sorted.
///
/// # Panics
///
/// Panics if the folder cannot be read.
pub fn names(folder: &Path) -> Vec<String> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries.map(stem).collect();
    names.sort();
    names
}

fn stem(entry: std::io::Result<std::fs::DirEntry>) -> String {
    let path = entry.expect("a readable folder").path();
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
