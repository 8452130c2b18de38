//! Programs that tasks run.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use crate::error::TaskError;

/// A program with its arguments.
pub(crate) struct Tool {
    command: Command,
    help: &'static str,
}

impl Tool {
    /// Names a program, and how to install it.
    pub(crate) fn new(program: impl Into<OsString>, help: &'static str) -> Self {
        let mut command = Command::new(program.into());
        command.stdin(Stdio::null());
        Self { command, help }
    }

    /// Returns the command, to add arguments.
    pub(crate) fn with(mut self, add: impl FnOnce(&mut Command)) -> Self {
        add(&mut self.command);
        self
    }

    /// Runs the program to its end.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be started, or fails.
    pub(crate) fn run(mut self) -> Result<(), TaskError> {
        let status = self.command.status().map_err(|source| self.cannot_start(source))?;
        if status.success() {
            return Ok(());
        }
        Err(self.failed(status))
    }

    /// Runs the program to its end, and returns what it writes to standard output.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be started, or fails.
    pub(crate) fn output(mut self) -> Result<Vec<u8>, TaskError> {
        self.command.stderr(Stdio::inherit());
        let output = self.command.output().map_err(|source| self.cannot_start(source))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(self.failed(output.status))
    }

    fn cannot_start(&self, source: std::io::Error) -> TaskError {
        TaskError::Start {
            program: self.command.get_program().to_string_lossy().into_owned(),
            help: self.help,
            source,
        }
    }

    fn failed(&self, status: std::process::ExitStatus) -> TaskError {
        let words: Vec<_> = std::iter::once(self.command.get_program())
            .chain(self.command.get_args())
            .map(|word| word.to_string_lossy())
            .collect();
        TaskError::Failed { command: words.join(" "), status }
    }
}
