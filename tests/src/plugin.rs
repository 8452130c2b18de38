//! An external plugin of any kind, as a process.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::Command;

use crate::process::{Process, Stream};

/// A plugin that was started with `--socket`, `--name` and `--index`.
#[derive(Debug)]
pub struct Plugin(Process);

impl Plugin {
    /// Starts an executable as plugin `INDEX-NAME` of the runtime behind a socket, with more
    /// arguments.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be started, or the name has no index.
    #[must_use]
    pub fn external(executable: &Path, socket: &Path, full_name: &str, more: &[&str]) -> Self {
        let (index, name) = full_name.split_once('-').expect("name is INDEX-NAME");
        let mut command = Command::new(executable);
        command.arg("--socket").arg(socket).args(["--name", name, "--index", index]).args(more);
        Self(Process::spawn(&mut command, Stream::Output))
    }
}

impl Deref for Plugin {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.0
    }
}

impl DerefMut for Plugin {
    fn deref_mut(&mut self) -> &mut Process {
        &mut self.0
    }
}
