//! Errors of revisions: what git does not find, and what to name instead.

use super::command::Git;
use super::entry::{Entry, Kind};
use super::revision::Revision;
use crate::error::{Error, ErrorKind};

impl Revision {
    /// Returns the error for a path that is not in the tree with these entries.
    pub(super) fn missing<'e>(
        &self,
        entries: impl Iterator<Item = Entry<'e>>,
        path: &str,
    ) -> Error {
        let mut submodules = entries.filter(|entry| entry.kind == Kind::Submodule);
        let inside = submodules.find_map(|entry| {
            let rest = path.strip_prefix(entry.path.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| self.in_submodule(&entry, rest))
        });
        if let Some(error) = inside {
            return error;
        }
        let message = format!(
            "revision `{}` has no file or folder `{path}`, or it is a link out of the repository",
            self.name
        );
        Error::new(ErrorKind::Schema, message)
            .with_help("name the path from the top of the repository, or start it with `./`")
    }

    fn in_submodule(&self, submodule: &Entry<'_>, rest: &str) -> Error {
        let Entry { path, object, .. } = submodule;
        let message = format!(
            "`{path}` is a submodule in revision `{}`: its files are in another repository",
            self.name
        );
        let subdir = rest.strip_prefix('/').map(|rest| format!(",subdir={rest}"));
        let subdir = subdir.unwrap_or_default();
        Error::new(ErrorKind::Schema, message).with_help(format!(
            "name that repository: `{path}/.git#ref={object}{subdir}`"
        ))
    }

    pub(super) fn unusable_link(&self, path: &str) -> Error {
        let message = format!(
            "`{path}` in revision `{}` is not a link to a file of the revision",
            self.name
        );
        Error::new(ErrorKind::Schema, message)
            .with_help("name a folder without it, or a single file")
    }

    /// Returns the error for a name that git does not resolve, with the reason if git does not read
    /// the repository at all.
    pub(super) fn unknown(&self, git: &Git<'_>) -> Error {
        let repository = self.repository.display();
        let fetched = |what: String, help: &str| {
            let message = format!("{what}, and nothing is fetched");
            Error::new(ErrorKind::Schema, message).with_help(help)
        };
        if repository.to_string().contains("://") {
            let what = format!("{repository} is a remote repository");
            return fetched(what, "clone it, and name the clone: `folder/.git#ref=main`");
        }
        if self.spec.contains("://") && !self.spec.contains('#') {
            let what = format!("`{}` is an address", self.spec);
            return fetched(what, "download it, and name the file");
        }
        if let Err(error) = git.run(&["rev-parse", "--git-dir"]) {
            return self.unread(&error);
        }
        let message = format!(
            "cannot find `{}`: `{}` is not a revision of the git repository at {repository}",
            self.spec, self.name
        );
        Error::new(ErrorKind::Schema, message).with_help(advice(git))
    }

    fn unread(&self, reason: &Error) -> Error {
        let message = format!("cannot find `{}`: {reason}", self.spec);
        Error::new(ErrorKind::Schema, message).with_help(format!(
            "name a file, or a revision of a repository in which `git -C {} status` works",
            self.repository.display()
        ))
    }
}

fn advice(git: &Git<'_>) -> &'static str {
    let is_shallow = git.run(&["rev-parse", "--is-shallow-repository"]);
    if is_shallow.is_ok_and(|answer| answer.starts_with(b"true")) {
        "the clone is shallow: fetch the revision, for example with `git fetch --unshallow`"
    } else {
        "name a branch, tag or commit"
    }
}
