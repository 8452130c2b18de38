//! Protos of a revision of a git repository, read with the `git` command.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::error::{Error, ErrorKind};

/// A path in a revision: `HEAD~1:pkg/api/api.proto`, or `.git#ref=main,subdir=protos` as for buf.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Revision {
    /// The folder to run git in.
    repository: PathBuf,
    /// Anything that git accepts as a revision.
    name: String,
    /// The path in the repository; empty for the whole repository.
    path: String,
}

impl Revision {
    /// Returns the revision named by `spec`; `None` if it has neither form, or is a path that
    /// exists.
    pub(super) fn parse(spec: &str) -> Option<Self> {
        if Path::new(spec).exists() {
            return None;
        }
        if let Some((repository, options)) = spec.split_once('#') {
            return of_buf(repository, options);
        }
        let (name, path) = spec.split_once(':')?;
        (!name.is_empty() && !path.is_empty()).then(|| Self {
            repository: PathBuf::from("."),
            name: name.to_owned(),
            path: path.to_owned(),
        })
    }

    /// Copies the protos of the revision to a temporary folder; returns it, and the path of the target in it.
    pub(super) fn check_out(&self) -> Result<(TempDir, PathBuf), Error> {
        let tree = format!("{}^{{tree}}", self.name);
        let tree = self.git(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &tree,
        ]);
        let tree = tree.map_err(|_| self.unknown())?;
        let tree = String::from_utf8_lossy(&tree).trim().to_owned();
        let path = self.path_from_top()?;
        let mut archive = vec!["archive", "--format=tar", tree.as_str()];
        if !path.is_empty() && !self.is_folder(&tree, &path) {
            archive.push(path.as_str());
        }
        if archive.len() == 3 || path.ends_with(".proto") {
            archive.push("*.proto");
        }
        let tar = self.at_top()?.git(&archive)?;
        let folder = tempfile::tempdir().map_err(|error| failed(&error.to_string()))?;
        tar::Archive::new(tar.as_slice())
            .unpack(folder.path())
            .map_err(|error| failed(&error.to_string()))?;
        let target = folder.path().join(path);
        Ok((folder, target))
    }

    fn is_folder(&self, tree: &str, path: &str) -> bool {
        let object = format!("{tree}:{path}");
        let kind = self.git(&["cat-file", "-t", &object]);
        kind.is_ok_and(|kind| kind.starts_with(b"tree"))
    }

    /// Returns the revision relative to the top: `git archive` includes only files below the folder
    /// that it runs in.
    fn at_top(&self) -> Result<Self, Error> {
        let top = self.git(&["rev-parse", "--show-toplevel"]);
        Ok(Self {
            // A bare repository has no working tree.
            repository: top.map_or_else(
                |_| self.repository.clone(),
                |top| PathBuf::from(String::from_utf8_lossy(&top).trim_end_matches('\n')),
            ),
            name: self.name.clone(),
            path: self.path.clone(),
        })
    }

    /// Returns the path from the top of the repository. A path that starts with `./` is relative to
    /// the working folder, as for `git show`.
    fn path_from_top(&self) -> Result<String, Error> {
        let path = self.path.trim_end_matches('/');
        let Some(relative) = path.strip_prefix("./") else {
            return Ok(path.to_owned());
        };
        let prefix = self.git(&["rev-parse", "--show-prefix"])?;
        Ok(format!(
            "{}{relative}",
            String::from_utf8_lossy(&prefix).trim()
        ))
    }

    fn git(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let output = Command::new("git")
            .arg("-C")
            .arg(&self.repository)
            .args(arguments)
            .output()
            .map_err(|error| failed(&error.to_string()))?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(failed(String::from_utf8_lossy(&output.stderr).trim()))
        }
    }

    fn unknown(&self) -> Error {
        let message = format!(
            "`{}` is not a revision of the git repository at {}",
            self.name,
            self.repository.display()
        );
        Error::new(ErrorKind::Schema, message)
            .with_help("name a branch, tag or commit; git has to be installed")
    }
}

fn failed(reason: &str) -> Error {
    Error::new(ErrorKind::Schema, format!("git: {reason}"))
}

/// Reads `PATH.git#KEY=VALUE,…` with the keys that buf knows.
fn of_buf(repository: &str, options: &str) -> Option<Revision> {
    let is_git =
        repository == ".git" || repository.ends_with("/.git") || repository.ends_with(".git");
    let mut revision = Revision {
        repository: match repository.strip_suffix(".git") {
            Some("") => PathBuf::from("."),
            Some(folder) if folder.ends_with('/') => PathBuf::from(folder),
            _ => PathBuf::from(repository),
        },
        name: "HEAD".to_owned(),
        path: String::new(),
    };
    for option in options.split(',') {
        match option.split_once('=')? {
            ("ref" | "branch" | "tag" | "commit", value) => value.clone_into(&mut revision.name),
            ("subdir", value) => value.clone_into(&mut revision.path),
            _ => return None,
        }
    }
    is_git.then_some(revision)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(spec: &str) -> Option<(String, String, String)> {
        let found = Revision::parse(spec)?;
        Some((
            found.repository.display().to_string(),
            found.name,
            found.path,
        ))
    }

    #[test]
    fn revisions_are_told_from_paths() {
        let all = |a: &str, b: &str, c: &str| Some((a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(
            parsed("HEAD~1:pkg/api.proto"),
            all(".", "HEAD~1", "pkg/api.proto")
        );
        assert_eq!(parsed(".git#ref=main"), all(".", "main", ""));
        assert_eq!(
            parsed("../x/.git#branch=b,subdir=p"),
            all("../x/", "b", "p")
        );
        assert_eq!(parsed("x.git#tag=v1"), all("x.git", "v1", ""));
        assert_eq!(parsed("x.git#depth"), None);
        assert_eq!(parsed("pkg/api.proto"), None);
    }
}
