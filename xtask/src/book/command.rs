//! The command whose output the book shows.

use std::path::{Path, PathBuf};

use crate::error::TaskError;
use crate::tool::Tool;

/// The width of outputs, which fits the pages.
const COLUMNS: &str = "90";

/// An `nri-compat`.
pub(super) struct Documented {
    program: PathBuf,
}

impl Documented {
    pub(super) fn new(program: &Path) -> Self {
        Self { program: program.to_owned() }
    }

    /// Returns the output of the command with these arguments.
    ///
    /// # Errors
    ///
    /// Returns an error if the command cannot be started, or fails.
    pub(super) fn output<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Result<String, TaskError> {
        let output =
            Tool::new(&self.program, "build it with `cargo build -p nri-compat --all-features`")
                .with(|command| {
                    command.args(arguments).env("COLUMNS", COLUMNS);
                })
                .output()?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }
}
