//! The differences between operating systems: names, open files, programs that are run, the signals
//! that end a process. Everything else is written as if there were only one.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;
