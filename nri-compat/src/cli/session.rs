//! The async runtime of commands that talk to plugins, runtimes and clusters, and their end on
//! Ctrl-C.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::Builder;

use crate::error::{Error, ErrorKind};
use crate::system;

/// The time that tasks have to end after their command has ended.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// Runs the work to its end. On Ctrl-C and SIGTERM the work is dropped, which ends every process
/// that it has started.
///
/// # Errors
///
/// Returns the error of the work, or an error if the work was interrupted.
pub(super) fn run<T, E: Into<Error>>(work: impl Future<Output = Result<T, E>>) -> Result<T, Error> {
    run_until_interrupted(async move |stop| {
        tokio::select! {
            ended = work => ended.map_err(Into::into),
            () = stop => Err(Error::new(ErrorKind::Interrupted, "interrupted")),
        }
    })
}

/// Runs work that handles Ctrl-C and SIGTERM itself: it receives a future that completes on these
/// signals.
///
/// # Errors
///
/// Returns the error of the work.
pub(super) fn run_until_interrupted<T, E, F>(work: F) -> Result<T, Error>
where
    E: Into<Error>,
    F: AsyncFnOnce(Interrupted) -> Result<T, E>,
{
    let runtime =
        Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|error| {
            let message = format!("cannot start a tokio runtime: {error}");
            Error::new(ErrorKind::Session, message)
        })?;
    let ended = runtime.block_on(work(Box::pin(system::interrupted())));
    runtime.shutdown_timeout(SHUTDOWN);
    ended.map_err(Into::into)
}

/// A future that completes on Ctrl-C and SIGTERM.
pub(super) type Interrupted = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;
