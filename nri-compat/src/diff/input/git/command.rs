//! The `git` command in a repository.

use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{Error, ErrorKind};

/// A folder to run git in.
pub(super) struct Git<'f>(&'f Path);

impl<'f> Git<'f> {
    pub(super) fn in_folder(folder: &'f Path) -> Self {
        Self(folder)
    }

    /// Runs git, and returns its output.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        output(self.command().args(arguments).stdin(Stdio::null()))
    }

    /// Writes the entries, lines of `ls-tree -z`, to an empty folder, as they were committed.
    pub(super) fn check_out(&self, entries: &[u8], folder: &Path) -> Result<(), Error> {
        let own = tempfile::tempdir().map_err(|error| failed(&error.to_string()))?;
        let with_index = || {
            let mut git = self.command();
            git.env("GIT_INDEX_FILE", own.path().join("index"));
            git.env("GIT_WORK_TREE", folder);
            git
        };
        let input = input(entries).map_err(|error| failed(&error.to_string()))?;
        output(
            with_index()
                .args(["update-index", "-z", "--index-info"])
                .stdin(input),
        )?;
        output(
            with_index()
                .args(["checkout-index", "--all", "--quiet"])
                .stdin(Stdio::null()),
        )?;
        Ok(())
    }

    fn command(&self) -> Command {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.0);
        // Settings that change what is written, or look at the files of the work tree.
        for setting in [
            "core.attributesFile=/dev/null",
            "core.autocrlf=false",
            "core.fsmonitor=false",
            "core.sparseCheckout=false",
            "core.symlinks=true",
        ] {
            git.args(["-c", setting]);
        }
        git
    }
}

fn output(command: &mut Command) -> Result<Vec<u8>, Error> {
    let output = command.output();
    let output =
        output.map_err(|error| failed(&format!("the command cannot be started: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let first = words.lines().next();
    let first = first.unwrap_or("it failed without a message");
    Err(failed(first.trim_start_matches("fatal: ")))
}

/// Returns bytes as the input of a process, in a file, so that it can be read at any time.
fn input(bytes: &[u8]) -> std::io::Result<Stdio> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

/// Returns the error for a failure of git or of the folders that it works in.
pub(super) fn failed(reason: &str) -> Error {
    Error::new(ErrorKind::Schema, format!("git: {reason}"))
}
