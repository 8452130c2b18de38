//! Protos of a revision of a git repository, read with the `git` command.
//!
//! Only files are read, as they were committed, without their attributes and filters. Links and
//! submodules are refused: they may lead to files of this machine, or to other repositories.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::buf;
use crate::error::{Error, ErrorKind};
use crate::path::last_part;
use crate::subprocess;

/// The time that a single git command may take.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The maximum size in bytes of a list of files, and of all protos of a revision.
const MAX_OUTPUT: u64 = 512 << 20;

/// A path in a revision: `HEAD~1:pkg/api/api.proto`, or `.git#ref=main,subdir=protos` as for buf.
pub(super) struct Revision {
    /// The folder to run git in; empty for the working folder.
    repository: String,
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
    /// Returns an error if it is the address of something remote, or has an unknown option.
    pub(super) fn parse(spec: &str) -> Result<Option<Self>, Error> {
        let local = spec.strip_prefix("file://").unwrap_or(spec);
        let mut revision = Self {
            repository: String::new(),
            name: "HEAD".to_owned(),
            path: String::new(),
            spec: spec.to_owned(),
        };
        match (local.split_once(".git#"), spec.split_once(':')) {
            _ if Path::new(spec).exists() => return Ok(None),
            _ if local.contains("://") => {
                let message = format!("`{spec}` is an address, and nothing is fetched");
                let help = "download the file, or clone the repository and name the clone: `folder/.git#ref=main`";
                return Err(wrong(message, help));
            }
            (Some((folder, options)), _) => {
                let is_whole = folder.is_empty() || folder.ends_with('/');
                revision.repository = format!("{folder}{}", if is_whole { "" } else { ".git" });
                options.split(',').try_for_each(|option| revision.set(option))?;
            }
            (None, Some((name, path))) if !name.is_empty() => {
                (revision.name, revision.path) = (name.to_owned(), path.to_owned());
            }
            (None, _) => return Ok(None),
        }
        Ok(Some(revision))
    }

    /// Reads `KEY=VALUE` with one of the keys that buf knows.
    fn set(&mut self, option: &str) -> Result<(), Error> {
        match option.split_once('=') {
            Some(("ref" | "branch" | "tag" | "commit", value)) => self.name = value.to_owned(),
            Some(("subdir", value)) => self.path = value.to_owned(),
            // It only limits the commits that are fetched.
            Some(("depth", _)) => {}
            Some(_) | None => {
                let message = format!("unknown option `{option}` in `{}`", self.spec);
                let help =
                    "the options are ref, branch, tag, commit and subdir, each with `=VALUE`";
                return Err(wrong(message, help));
            }
        }
        Ok(())
    }

    /// Copies the protos of the revision to a temporary folder; returns it, and the path of the
    /// target in it.
    pub(super) fn check_out(&self) -> Result<(TempDir, PathBuf), Error> {
        let list = "ls-tree -rz --full-tree --end-of-options";
        let listing = self.git(list, Some(&self.name), "").map_err(|reason| {
            let help = "name a file, or a branch, tag or commit of a git repository; a shallow clone lacks old \
                        commits until `git fetch --unshallow`";
            wrong(format!("cannot find `{}`: {reason}", self.spec), help)
        })?;
        let listing = String::from_utf8_lossy(&listing);
        let target = self.path_from_top()?;
        let files = self.files(&listing, &target)?;
        let has_target = files.iter().any(|(_, path)| is_below(path, &target));
        if !has_target && !target.is_empty() {
            let message = format!("revision `{}` has no file or folder `{target}`", self.name);
            let help = "name the path from the top of the repository, or start it with `./`";
            return Err(wrong(message, help));
        }
        let folder = tempfile::tempdir().map_err(failed)?;
        self.copy(&files, folder.path())?;
        let target = folder.path().join(target);
        Ok((folder, target))
    }

    /// Returns the files in a list of `MODE TYPE OBJECT\tPATH` that may have a part in a comparison
    /// of `target`, each with the id of its content.
    ///
    /// # Errors
    ///
    /// Returns an error for a link or submodule that the target is or leads through, and for a link
    /// in the target that would have to be read.
    fn files<'l>(&self, listing: &'l str, target: &str) -> Result<Vec<(&'l str, &'l str)>, Error> {
        let mut files = Vec::new();
        for (about, path) in listing.split('\0').filter_map(|line| line.split_once('\t')) {
            let (mode, object) =
                about.split_once(" blob ").or(about.split_once(" commit ")).unwrap_or_default();
            let name = last_part(path);
            let is_wanted =
                name.ends_with(".proto") || buf::NAMES.contains(&name) || path == target;
            let is_around = is_below(target, path);
            let revision = &self.name;
            let (what, help) = match mode {
                "120000" if is_around || is_below(path, target) && is_wanted => (
                    "a symbolic link, which is not followed",
                    format!(
                        "check the revision out, with `git worktree add FOLDER {revision}`, and name the folder"
                    ),
                ),
                "160000" if is_around => (
                    "a submodule: its files are in another repository",
                    format!("name that repository: `{path}/.git#ref={object}`"),
                ),
                _ => {
                    if is_wanted && mode.starts_with("100") {
                        files.push((object, path));
                    }
                    continue;
                }
            };
            let message = format!("`{path}` in revision `{revision}` is {what}");
            return Err(wrong(message, &help));
        }
        Ok(files)
    }

    /// Writes the files to a folder. `git cat-file` prints `ID TYPE SIZE` and the content of each,
    /// both with a line end.
    fn copy(&self, files: &[(&str, &str)], folder: &Path) -> Result<(), Error> {
        let objects: Vec<&str> = files.iter().map(|(object, _)| *object).collect();
        let contents = self.git("cat-file --batch", None, &objects.join("\n"))?;
        let mut rest = contents.as_slice();
        for (_, path) in files {
            let content = next_object(&mut rest).ok_or_else(|| failed("an object is missing"))?;
            if !buf::is_inside(path) {
                return Err(failed(format!("`{path}` leads out of the repository")));
            }
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failed)?;
            std::fs::write(path, content).map_err(failed)?;
        }
        Ok(())
    }

    /// Returns the path from the top of the repository. A path that starts with `./` is relative to
    /// the working folder, as for `git show`.
    fn path_from_top(&self) -> Result<String, Error> {
        let path = self.path.trim_end_matches('/');
        if path != "." && !path.starts_with("./") {
            return Ok(path.to_owned());
        }
        let prefix = self.git("rev-parse --show-prefix", None, "")?;
        let prefix = String::from_utf8_lossy(&prefix);
        let path = format!("{}{}", prefix.trim(), path[1..].trim_start_matches('/'));
        Ok(path.trim_end_matches('/').to_owned())
    }

    /// Runs a command of git in the repository, with another argument if there is one, and returns
    /// its output.
    fn git(&self, command: &str, other: Option<&str>, input: &str) -> Result<Vec<u8>, Error> {
        let mut git = Command::new("git");
        git.arg("-C").arg(&self.repository);
        git.args(command.split(' ')).args(other);
        let ended = subprocess::run(&mut git, input.as_bytes(), TIME_LIMIT, MAX_OUTPUT + 1)
            .map_err(|error| failed(format!("the command cannot be started: {error}")))?
            .ok_or_else(|| failed(format!("no end after {} s", TIME_LIMIT.as_secs())))?;
        if ended.stdout.len() as u64 > MAX_OUTPUT {
            let most = MAX_OUTPUT >> 20;
            return Err(failed(format!("all protos have more than {most} MiB")));
        }
        if ended.status.success() {
            return Ok(ended.stdout);
        }
        let words = String::from_utf8_lossy(&ended.stderr);
        let reason = words.lines().next().unwrap_or("no reason given");
        Err(failed(reason.trim_start_matches("fatal: ")))
    }
}

/// Returns true if the path is the folder or in it; an empty folder is the whole tree.
fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// Takes the next content from the output of `git cat-file --batch`.
fn next_object<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (line, content) = rest.split_at(end);
    let size = std::str::from_utf8(line).ok()?.split(' ').nth(2)?;
    let (content, tail) = content.get(1..)?.split_at_checked(size.parse().ok()?)?;
    *rest = tail.strip_prefix(b"\n")?;
    Some(content)
}

fn wrong(message: String, help: &str) -> Error {
    Error::new(ErrorKind::Schema, message).with_help(help)
}

/// Returns the error for a failure of git or of the folder that the files are copied to.
fn failed(reason: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Schema, format!("git: {reason}"))
}
