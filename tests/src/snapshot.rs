//! Snapshots as plain text files, named after their content.

use std::path::{Path, PathBuf};

use similar::TextDiff;

/// Compares `actual` with `snapshots/NAME`.
///
/// `NRI_WRITE_SNAPSHOTS=1` writes a missing snapshot for review. An existing one is never
/// rewritten.
///
/// # Panics
///
/// Panics if the file does not exist or differs; the message shows the difference.
pub fn assert_same(name: &str, actual: &str) {
    let difference = difference(name, actual);
    assert!(difference.is_none(), "{}", difference.unwrap_or_default());
}

/// Returns the difference between `actual` and `snapshots/NAME`, if there is one.
///
/// # Panics
///
/// Panics if the file does not exist.
pub fn difference(name: &str, actual: &str) -> Option<String> {
    let path = folder().join(name);
    if !path.exists() && std::env::var_os("NRI_WRITE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().expect("in a folder"))
            .expect("the folder can be made");
        std::fs::write(&path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let expected = read(name);
    let diff = TextDiff::from_lines(expected.as_str(), actual)
        .unified_diff()
        .context_radius(2)
        .header("snapshot", "actual")
        .to_string();
    (!diff.is_empty()).then(|| {
        format!(
            "snapshots/{name} is stale; if the change is right, delete it and write it anew\n{diff}"
        )
    })
}

/// Returns the text of `snapshots/NAME`.
///
/// # Panics
///
/// Panics if the file does not exist.
#[must_use]
pub fn read(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names in a folder of snapshots, sorted, without extensions.
///
/// # Panics
///
/// Panics if the folder cannot be read.
pub fn names(of: &str) -> Vec<String> {
    crate::fixtures::names(&folder().join(of))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots")
}
