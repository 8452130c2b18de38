//! Protos of a revision of a git repository, read with the `git` command.
//!
//! Files are read as they were committed: `git archive` would leave out those with the attribute
//! `export-ignore`. Links only lead to other files of the revision, never to those of this machine.

mod tree;

use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::error::{Error, ErrorKind};
use tree::{Found, Submodule, Tree};

/// A path in a revision: `HEAD~1:pkg/api/api.proto`, or `.git#ref=main,subdir=protos` as for buf.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Revision {
    /// The folder to run git in.
    repository: PathBuf,
    /// Anything that git accepts as a revision.
    name: String,
    /// The path in the repository; empty for the whole repository.
    path: String,
    /// The spelling of the user.
    spec: String,
}

impl Revision {
    /// Returns the revision named by `spec`; `None` if it has neither form, or is a path that
    /// exists.
    ///
    /// # Errors
    ///
    /// Returns an error if it names a repository with an option that does not exist.
    pub(super) fn parse(spec: &str) -> Result<Option<Self>, Error> {
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

    /// Copies the protos of the revision to a temporary folder; returns it, and the path of the target in it.
    pub(super) fn check_out(&self) -> Result<(TempDir, PathBuf), Error> {
        let object = self.resolve()?;
        let path = self.path_from_top()?;
        let listing = self.git(&["ls-tree", "-r", "-z", "--full-tree", &object], None)?;
        let mut tree = Tree::parse(&listing);
        self.read_links(&mut tree)?;
        let target = match tree.find(&path) {
            Some(Found::Folder(folder)) => folder,
            // A link keeps its own name; `..` after a link would lead out of the folder.
            Some(Found::File(file)) if path.split('/').any(|part| part == "..") => file,
            Some(Found::File(_)) => path,
            None => return Err(self.missing(&listing, &path)),
        };
        let folder = tempfile::tempdir().map_err(|error| failed(&error.to_string()))?;
        self.write(&tree, &target, folder.path())?;
        let target = folder.path().join(target);
        Ok((folder, target))
    }

    /// Returns the id of the tree of the revision.
    fn resolve(&self) -> Result<String, Error> {
        let tree = format!("{}^{{tree}}", self.name);
        let arguments = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &tree,
        ];
        let tree = self.git(&arguments, None).map_err(|_| self.unknown())?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    /// Fills in the paths that links lead to.
    fn read_links(&self, tree: &mut Tree) -> Result<(), Error> {
        let mut links: Vec<_> = tree
            .0
            .values_mut()
            .filter(|entry| entry.link.is_some())
            .collect();
        let objects: Vec<String> = links.iter().map(|entry| entry.object.clone()).collect();
        for (entry, content) in links.iter_mut().zip(self.read(&objects)?) {
            entry.link = Some(String::from_utf8_lossy(&content).into_owned());
        }
        Ok(())
    }

    /// Writes all protos, and the file at `target`, below `folder`.
    fn write(&self, tree: &Tree, target: &str, folder: &Path) -> Result<(), Error> {
        let is_wanted = |path: &&String| path.ends_with(".proto") || *path == target;
        let wanted = tree.0.keys().filter(is_wanted).map(String::as_str);
        // A target below a link to a folder is not an entry.
        let below_link =
            (tree.object(target).is_some() && !tree.0.contains_key(target)).then_some(target);
        let mut files: Vec<(&str, String)> = Vec::new();
        for path in wanted.chain(below_link) {
            match tree.object(path) {
                Some(object) => files.push((path, object)),
                None if is_below(path, target) => return Err(self.unusable_link(path)),
                None => {}
            }
        }
        let objects: Vec<String> = files.iter().map(|(_, object)| object.clone()).collect();
        for ((path, _), content) in files.iter().zip(self.read(&objects)?) {
            let path = folder.join(path);
            let parent = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent)
                .and_then(|()| std::fs::write(&path, content))
                .map_err(|error| failed(&error.to_string()))?;
        }
        Ok(())
    }

    /// Returns the content of each object.
    fn read(&self, objects: &[String]) -> Result<Vec<Vec<u8>>, Error> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let answer = self.git(&["cat-file", "--batch"], Some(objects))?;
        let mut rest = answer.as_slice();
        objects
            .iter()
            .map(|_| {
                let (content, after) = next_object(rest)?;
                rest = after;
                Some(content.to_vec())
            })
            .collect::<Option<_>>()
            .ok_or_else(|| failed("the repository lacks an object of the revision"))
    }

    /// Returns the path from the top of the repository. A path that starts with `./` is relative to
    /// the working folder, as for `git show`.
    fn path_from_top(&self) -> Result<String, Error> {
        let path = self.path.trim_end_matches('/');
        let Some(relative) = path.strip_prefix("./") else {
            return Ok(path.to_owned());
        };
        let prefix = self.git(&["rev-parse", "--show-prefix"], None)?;
        Ok(format!(
            "{}{relative}",
            String::from_utf8_lossy(&prefix).trim()
        ))
    }

    /// Runs git with `lines` as its input, and returns its output.
    fn git(&self, arguments: &[&str], lines: Option<&[String]>) -> Result<Vec<u8>, Error> {
        let output = lines
            .map_or_else(|| Ok(Stdio::null()), input)
            .and_then(|input| {
                Command::new("git")
                    .arg("-C")
                    .arg(&self.repository)
                    .args(arguments)
                    .stdin(input)
                    .output()
            })
            .map_err(|error| failed(&format!("the command cannot be started: {error}")))?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            let words = String::from_utf8_lossy(&output.stderr);
            let first = words
                .lines()
                .next()
                .unwrap_or("it failed without a message");
            Err(failed(first.trim_start_matches("fatal: ")))
        }
    }

    /// Returns the error for a path that is not in the tree with this listing.
    fn missing(&self, listing: &[u8], path: &str) -> Error {
        if let Some(submodule) = tree::submodule(listing, path) {
            return self.in_submodule(&submodule);
        }
        let message = format!(
            "revision `{}` has no file or folder `{path}`, or it is a link out of the repository",
            self.name
        );
        Error::new(ErrorKind::Schema, message)
            .with_help("name the path from the top of the repository, or start it with `./`")
    }

    fn in_submodule(&self, submodule: &Submodule) -> Error {
        let Submodule { path, commit, rest } = submodule;
        let message = format!(
            "`{path}` is a submodule in revision `{}`: its files are in another repository",
            self.name
        );
        let subdir = if rest.is_empty() {
            String::new()
        } else {
            format!(",subdir={rest}")
        };
        Error::new(ErrorKind::Schema, message).with_help(format!(
            "name that repository: `{path}/.git#ref={commit}{subdir}`"
        ))
    }

    fn unusable_link(&self, path: &str) -> Error {
        let message = format!(
            "`{path}` in revision `{}` is not a link to a file of the revision",
            self.name
        );
        Error::new(ErrorKind::Schema, message)
            .with_help("name a folder without it, or a single file")
    }

    /// Returns the error for a name that git does not resolve, with the reason if git does not read
    /// the repository at all.
    fn unknown(&self) -> Error {
        if self.repository.to_string_lossy().contains("://") {
            let message = format!(
                "{} is a remote repository, and nothing is fetched",
                self.repository.display()
            );
            return Error::new(ErrorKind::Schema, message)
                .with_help("clone it, and name the clone: `folder/.git#ref=main`");
        }
        if self.spec.contains("://") && !self.spec.contains('#') {
            let message = format!("`{}` is an address, and nothing is fetched", self.spec);
            return Error::new(ErrorKind::Schema, message)
                .with_help("download it, and name the file");
        }
        if let Err(error) = self.git(&["rev-parse", "--git-dir"], None) {
            return self.unread(&error);
        }
        let message = format!(
            "cannot find `{}`: `{}` is not a revision of the git repository at {}",
            self.spec,
            self.name,
            self.repository.display()
        );
        Error::new(ErrorKind::Schema, message).with_help(self.advice())
    }

    fn advice(&self) -> &'static str {
        let is_shallow = self.git(&["rev-parse", "--is-shallow-repository"], None);
        if is_shallow.is_ok_and(|answer| answer.starts_with(b"true")) {
            "the clone is shallow: fetch the revision, for example with `git fetch --unshallow`"
        } else {
            "name a branch, tag or commit"
        }
    }

    fn unread(&self, reason: &Error) -> Error {
        let message = format!("cannot find `{}`: {reason}", self.spec);
        Error::new(ErrorKind::Schema, message).with_help(format!(
            "name a file, or a revision of a repository in which `git -C {} status` works",
            self.repository.display()
        ))
    }
}

/// Returns lines as the input of a process, in a file, so that it can be read at any time.
fn input(lines: &[String]) -> std::io::Result<Stdio> {
    let mut file = tempfile::tempfile()?;
    file.write_all((lines.join("\n") + "\n").as_bytes())?;
    file.rewind()?;
    Ok(file.into())
}

/// Returns the first object in the output of `git cat-file --batch`, and the output after it.
fn next_object(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let (about, rest) = (output.get(..end)?, output.get(end + 1..)?);
    let size = std::str::from_utf8(about).ok()?.rsplit(' ').next()?;
    let size: usize = size.parse().ok()?;
    Some((rest.get(..size)?, rest.get(size + 1..)?))
}

fn failed(reason: &str) -> Error {
    Error::new(ErrorKind::Schema, format!("git: {reason}"))
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

/// Returns true if the path is the folder or in it; an empty folder is the whole tree.
fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
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
