//! Errors that end the program.

use std::fmt;
use std::process::ExitCode;

/// An error with a remedy.
#[derive(Debug)]
pub(crate) struct Failure {
    usage: bool,
    message: String,
    help: Option<String>,
}

impl Failure {
    /// Returns an error in the command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure {
            usage: true,
            message: message.into(),
            help: Some("run with --help for the flags".to_owned()),
        }
    }

    /// Returns an error of any other kind.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure { usage: false, message: message.into(), help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Returns 2 for a wrong command line, else 1.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.usage { 2 } else { 1 })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<nri::Error> for Failure {
    fn from(error: nri::Error) -> Self {
        let failure = Failure::new(error.to_string());
        match error.help() {
            Some(help) => failure.with_help(help),
            None => failure,
        }
    }
}
