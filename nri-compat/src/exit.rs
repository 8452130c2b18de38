//! Exit codes, the same for every subcommand.

use std::process::ExitCode;

/// The exit status of the process. The code depends on the findings and on `--fail-on`, never on a
/// display option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// 0: it ran, and found nothing at or above `--fail-on`.
    Clean = 0,
    /// 1: it could not run: an input is missing, unknown or broken.
    CouldNotRun = 1,
    /// 2: the command line is wrong.
    Usage = 2,
    /// 100: it ran, and there are findings at or above `--fail-on`.
    Findings = 100,
}

impl Exit {
    /// Returns the status of a command that ran.
    pub(crate) fn of(has_findings: bool) -> Self {
        if has_findings { Self::Findings } else { Self::Clean }
    }

    /// Returns the status of a command whose findings are at most as serious as `worst`, if it has
    /// any; those as serious as `least` count, or none.
    pub(crate) fn at<T: PartialOrd>(worst: Option<T>, least: Option<T>) -> Self {
        Self::of(least.is_some() && worst >= least)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
