//! The spelling of a path in a revision.

use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// A path in a revision: `HEAD~1:pkg/api/api.proto`, or `.git#ref=main,subdir=protos` as for buf.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::diff::input) struct Revision {
    /// The folder to run git in.
    pub(super) repository: PathBuf,
    /// Anything that git accepts as a revision.
    pub(super) name: String,
    /// The path in the repository; empty for the whole repository.
    pub(super) path: String,
    /// The spelling of the user.
    pub(super) spec: String,
}

impl Revision {
    /// Returns the revision named by `spec`; `None` if it has neither form, or is a path that
    /// exists.
    ///
    /// # Errors
    ///
    /// Returns an error if it names a repository with an option that does not exist.
    pub(in crate::diff::input) fn parse(spec: &str) -> Result<Option<Self>, Error> {
        if Path::new(spec).exists() {
            return Ok(None);
        }
        if let Some((repository, options)) = spec.split_once('#') {
            return of_buf(spec, repository, options);
        }
        let parts = spec.split_once(':').filter(|(name, _)| !name.is_empty());
        Ok(parts.map(|(name, path)| Self {
            repository: PathBuf::from("."),
            name: name.to_owned(),
            path: path.to_owned(),
            spec: spec.to_owned(),
        }))
    }
}

/// Reads `PATH.git#KEY=VALUE,…` with the keys that buf knows.
fn of_buf(spec: &str, repository: &str, options: &str) -> Result<Option<Revision>, Error> {
    if !repository.ends_with(".git") {
        return Ok(None);
    }
    let repository = repository.strip_prefix("file://").unwrap_or(repository);
    let mut revision = Revision {
        repository: match repository.strip_suffix(".git") {
            Some("") => PathBuf::from("."),
            Some(folder) if folder.ends_with('/') => PathBuf::from(folder),
            _ => PathBuf::from(repository),
        },
        name: "HEAD".to_owned(),
        path: String::new(),
        spec: spec.to_owned(),
    };
    for option in options.split(',') {
        match option.split_once('=') {
            Some(("ref" | "branch" | "tag" | "commit", value)) => {
                value.clone_into(&mut revision.name);
            }
            Some(("subdir", value)) => value.clone_into(&mut revision.path),
            // It only limits the commits that are fetched.
            Some(("depth", _)) => {}
            Some(_) | None => return Err(unknown_option(spec, option)),
        }
    }
    Ok(Some(revision))
}

fn unknown_option(spec: &str, option: &str) -> Error {
    let message = format!("unknown option `{option}` in `{spec}`");
    Error::new(ErrorKind::Schema, message)
        .with_help("the options are ref, branch, tag, commit and subdir, each with `=VALUE`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(spec: &str) -> Option<(String, String, String)> {
        let found = Revision::parse(spec).ok()??;
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
        assert_eq!(parsed("file:///x.git#depth=1"), all("/x.git", "HEAD", ""));
        assert_eq!(parsed("x.git#depth"), None);
        assert_eq!(parsed("pkg/api.proto"), None);
    }
}
