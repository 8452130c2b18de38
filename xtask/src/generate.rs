//! The generated files that are committed in this repository. To add one, add its function to
//! `TARGETS`.

mod revisions;
#[cfg(feature = "schema")]
mod schemas;
mod shipped;
mod snapshots;
mod tables;
mod zoo;

use std::path::{Path, PathBuf};

use nri_codegen::write;
use nri_schema::Error;
use nri_schema::history::History;

/// A generated file: path from the root of the repository, and content.
pub type Target = (PathBuf, Vec<u8>);

/// Generates some of the targets from the history alone.
type MakeTargets = fn(&History) -> Result<Vec<Target>, Error>;

const TARGETS: &[MakeTargets] = &[
    revisions::targets,
    snapshots::targets,
    tables::targets,
    zoo::targets,
    #[cfg(feature = "schema")]
    schemas::targets,
];

/// Returns every generated file of the repository at `root` with the content that it should have.
///
/// # Errors
///
/// Returns an error if the tables are inconsistent, or a revision cannot be generated.
pub fn targets(root: &Path, history: &History) -> Result<Vec<Target>, Error> {
    history.check()?;
    let mut targets = shipped::targets(root, history)?;
    for target in TARGETS {
        targets.extend(target(history)?);
    }
    Ok(targets)
}

/// Writes every stale target below `root`, and returns their paths.
///
/// # Errors
///
/// Returns the errors of [`targets`], and an error if a file cannot be written; in that case none
/// is written.
pub fn run(root: &Path, history: &History) -> Result<Vec<PathBuf>, Error> {
    update(root, targets(root, history)?)
}

/// Writes those of `targets` that are stale, and returns their paths.
///
/// # Errors
///
/// Returns an error if a file cannot be written; in that case none is written.
pub fn update(root: &Path, targets: Vec<Target>) -> Result<Vec<PathBuf>, Error> {
    let stale = differing(root, &targets);
    write::all(&beneath(root, targets))?;
    Ok(stale)
}

/// Returns the paths of the targets that are stale. Writes nothing.
///
/// # Errors
///
/// Returns the errors of [`targets`].
pub fn stale(root: &Path, history: &History) -> Result<Vec<PathBuf>, Error> {
    Ok(differing(root, &targets(root, history)?))
}

/// Returns the targets with paths below `root`.
pub(crate) fn beneath(root: &Path, targets: Vec<Target>) -> Vec<Target> {
    targets.into_iter().map(|(path, content)| (root.join(path), content)).collect()
}

/// Returns the paths of those of `targets` that are stale.
pub fn differing(root: &Path, targets: &[Target]) -> Vec<PathBuf> {
    let same = |target: &&Target| {
        std::fs::read(root.join(&target.0)).is_ok_and(|on_disk| on_disk == target.1)
    };
    targets.iter().filter(|target| !same(target)).map(|(path, _)| path.clone()).collect()
}
