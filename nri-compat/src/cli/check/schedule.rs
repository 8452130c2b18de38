//! Repeated checks, for pods and other places without a shell: intervals, the end on a signal, and the file that
//! reports readiness.

mod interval;
mod ready_file;
mod termination;

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::cli::{duration, output};
use crate::error::Error;
use crate::exit::Exit;

use ready_file::ReadyFile;
use termination::Termination;

/// The times of checks.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct Args {
    /// Repeat the check until SIGTERM or Ctrl-C, which end it with exit code 0; the time between two checks is up to a
    /// tenth longer, at random, so that the nodes of a cluster do not check at the same time.
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    every: Option<Duration>,
    /// File that exists from the first report until the end: see `nri-compat ready`.
    #[arg(long, value_name = "FILE", requires = "every")]
    ready_file: Option<PathBuf>,
    /// Time between the report and the end, which SIGTERM and Ctrl-C cut short; pods of a Job that avoid each other's
    /// nodes need it.
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, conflicts_with = "every")]
    linger: Option<Duration>,
}

impl Args {
    /// Returns true if the check is repeated.
    pub(super) fn is_repeated(&self) -> bool {
        self.every.is_some()
    }

    /// Runs the check as often as requested.
    ///
    /// # Errors
    ///
    /// Returns the error of the check if it is the first one. Errors of later checks are printed, and the checks go on.
    pub(super) fn run(&self, check: impl Fn() -> Result<Exit, Error>) -> Result<Exit, Error> {
        match (self.every, self.linger) {
            (Some(every), _) => self.repeat(every, check),
            (None, Some(linger)) => {
                // A Job must not count as complete if it ends before its report.
                let termination = Termination::watch(Exit::CouldNotRun, None)?;
                let exit = check()?;
                termination.set_exit(exit);
                thread::sleep(linger);
                Ok(exit)
            }
            (None, None) => check(),
        }
    }

    /// Repeats the check until a signal ends the process.
    fn repeat(
        &self,
        every: Duration,
        check: impl Fn() -> Result<Exit, Error>,
    ) -> Result<Exit, Error> {
        let ready = self.ready_file.clone().map(ReadyFile::new).transpose()?;
        let _termination = Termination::watch(Exit::Clean, ready.clone())?;
        check()?;
        if let Some(ready) = &ready {
            ready.create()?;
        }
        loop {
            thread::sleep(interval::with_jitter(every));
            if let Err(error) = check() {
                output::error(&error);
            }
        }
    }
}
