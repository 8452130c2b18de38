//! Protos of a revision of a git repository, checked out with the `git` command.
//!
//! Only protos, links and the configurations of buf enter a temporary index. Attributes do not, so
//! that files are as they were committed, whatever filters they have. Links that lead out of the
//! revision are removed, so that they never lead to files of this machine.

mod command;
mod entry;
mod error;
mod revision;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::Error;
use command::{Git, failed};
use entry::{Entry, Kind};
pub(super) use revision::Revision;

impl Revision {
    /// Copies the protos of the revision to a temporary folder; returns it, and the path of the target in it.
    pub(super) fn check_out(&self) -> Result<(TempDir, PathBuf), Error> {
        let git = Git::in_folder(&self.repository);
        let tree = self.resolve(&git)?;
        let path = self.path_from_top(&git)?;
        let listing = git.run(&["ls-tree", "-r", "-z", "--full-tree", &tree])?;
        let entries = || listing.split(|byte| *byte == 0).filter_map(Entry::parse);
        let wanted = entries().filter(|entry| entry.is_wanted(&path));
        let wanted: Vec<&[u8]> = wanted.map(|entry| entry.line).collect();
        let folder = tempfile::tempdir().map_err(|error| failed(&error.to_string()))?;
        git.check_out(&wanted.join(&0), folder.path())?;
        self.remove_links_out(entries(), &path, folder.path())?;
        let target = folder.path().join(&path);
        if is_inside(&target, folder.path()) {
            Ok((folder, target))
        } else {
            Err(self.missing(entries(), &path))
        }
    }

    /// Removes links that lead out of the folder or nowhere. A proto of the target may not be one.
    fn remove_links_out<'e>(
        &self,
        entries: impl Iterator<Item = Entry<'e>>,
        target: &str,
        folder: &Path,
    ) -> Result<(), Error> {
        let links = entries.filter(|entry| entry.kind == Kind::Link);
        let out = links.filter(|entry| !is_inside(&folder.join(&entry.path), folder));
        // All are judged before the first one goes: a link may lead to another link.
        for Entry { path, .. } in out.collect::<Vec<_>>() {
            let is_file = path == target;
            if !is_file && path.ends_with(".proto") && is_below(&path, target) {
                return Err(self.unusable_link(&path));
            }
            std::fs::remove_file(folder.join(&path)).map_err(|error| failed(&error.to_string()))?;
        }
        Ok(())
    }

    /// Returns the id of the tree of the revision.
    fn resolve(&self, git: &Git<'_>) -> Result<String, Error> {
        let tree = format!("{}^{{tree}}", self.name);
        let arguments = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &tree,
        ];
        let tree = git.run(&arguments).map_err(|_| self.unknown(git))?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    /// Returns the path from the top of the repository. A path that starts with `./` is relative to
    /// the working folder, as for `git show`.
    fn path_from_top(&self, git: &Git<'_>) -> Result<String, Error> {
        let path = self.path.trim_end_matches('/');
        let Some(relative) = path.strip_prefix("./") else {
            return Ok(path.to_owned());
        };
        let prefix = git.run(&["rev-parse", "--show-prefix"])?;
        Ok(format!(
            "{}{relative}",
            String::from_utf8_lossy(&prefix).trim()
        ))
    }
}

/// Returns true if the path exists and leads to a file or folder inside of `folder`.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let real = path.canonicalize().ok().zip(folder.canonicalize().ok());
    real.is_some_and(|(path, folder)| path.starts_with(folder))
}

/// Returns true if the path is the folder or in it; an empty folder is the whole tree.
fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
}
