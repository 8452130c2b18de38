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
use tree::{Found, Tree};

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
        (!name.is_empty()).then(|| Self {
            repository: PathBuf::from("."),
            name: name.to_owned(),
            path: path.to_owned(),
        })
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
            None => return Err(self.missing(&path)),
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
        let target = (!tree.0.contains_key(target)).then_some(target);
        let files: Vec<(&str, String)> = wanted
            .chain(target)
            .filter_map(|path| Some((path, tree.object(path)?)))
            .collect();
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
            .map_err(|error| failed(&error.to_string()))?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(failed(String::from_utf8_lossy(&output.stderr).trim()))
        }
    }

    fn missing(&self, path: &str) -> Error {
        let message = format!(
            "revision `{}` has no file or folder `{path}`, or it is a link out of the repository",
            self.name
        );
        Error::new(ErrorKind::Schema, message)
            .with_help("name the path from the top of the repository, or start it with `./`")
    }

    fn unknown(&self) -> Error {
        if self.repository.to_string_lossy().contains("://") {
            let message = format!(
                "{} is a remote repository, and nothing is fetched",
                self.repository.display()
            );
            return Error::new(ErrorKind::Schema, message)
                .with_help("clone it, and name the clone: `folder/.git#ref=main`");
        }
        let message = format!(
            "`{}` is not a revision of the git repository at {}",
            self.name,
            self.repository.display()
        );
        Error::new(ErrorKind::Schema, message)
            .with_help("name a branch, tag or commit; git has to be installed")
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
