//! The end of the process on SIGTERM and Ctrl-C.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::{Error, ErrorKind};
use crate::exit::Exit;

/// A thread that ends the process on SIGTERM and Ctrl-C. The kernel ignores SIGTERM for the first process of a
/// container unless the process handles it.
pub(super) struct Termination {
    exit: Arc<AtomicU8>,
}

impl Termination {
    /// Starts the thread, which ends the process with this exit code, and removes the file that
    /// reports readiness.
    ///
    /// # Errors
    ///
    /// Returns an error if the signals cannot be handled.
    pub(super) fn watch(exit: Exit, ready: Option<PathBuf>) -> Result<Self, Error> {
        let exit = Arc::new(AtomicU8::new(exit as u8));
        let mut signals = Signals::new([SIGTERM, SIGINT]).map_err(|error| cannot_watch(&error))?;
        let code = Arc::clone(&exit);
        let end = move || {
            if signals.forever().next().is_none() {
                return;
            }
            // A report that is being written is written to its end: writers hold this lock.
            let _output = io::stdout().lock();
            // There is nobody to report a failure to.
            let _ = ready.map(fs::remove_file);
            process::exit(code.load(Ordering::Relaxed).into())
        };
        let thread = thread::Builder::new().name("termination".to_owned());
        thread.spawn(end).map_err(|error| cannot_watch(&error))?;
        Ok(Self { exit })
    }

    /// Changes the exit code.
    pub(super) fn set_exit(&self, exit: Exit) {
        self.exit.store(exit as u8, Ordering::Relaxed);
    }
}

fn cannot_watch(error: &io::Error) -> Error {
    Error::new(
        ErrorKind::Session,
        format!("cannot handle SIGTERM: {error}"),
    )
}
