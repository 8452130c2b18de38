//! Commands that talk to plugins and runtimes: their async runtime, their end on Ctrl-C, and
//! options that they share.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use crate::error::{Error, ErrorKind};

/// The time that tasks get to end after their command has ended.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// Runs the work to its end. On Ctrl-C and SIGTERM the work is dropped, which ends every process
/// that it has started.
///
/// # Errors
///
/// Returns an error if the work was interrupted, or its own.
pub(super) fn run<T, E: Into<Error>>(work: impl Future<Output = Result<T, E>>) -> Result<T, Error> {
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = work => ended.map_err(Into::into),
            () = interrupted() => Err(Error::new(ErrorKind::Interrupted, "interrupted")),
        }
    });
    runtime.shutdown_timeout(SHUTDOWN);
    ended
}

/// Runs work that ends by itself on Ctrl-C and SIGTERM: it gets a future that completes then.
///
/// # Errors
///
/// Returns the error of the work.
#[cfg(feature = "conformance")]
pub(super) fn run_until_interrupted<T, E, F>(work: F) -> Result<T, Error>
where
    E: Into<Error>,
    F: AsyncFnOnce(Interrupted) -> Result<T, E>,
{
    let runtime = runtime()?;
    let ended = runtime.block_on(work(Box::pin(interrupted())));
    runtime.shutdown_timeout(SHUTDOWN);
    ended.map_err(Into::into)
}

/// A future that completes on Ctrl-C and SIGTERM.
#[cfg(feature = "conformance")]
pub(super) type Interrupted = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

fn runtime() -> Result<Runtime, Error> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.map_err(|error| {
        let message = format!("cannot start a tokio runtime: {error}");
        Error::new(ErrorKind::Session, message)
    })
}

/// Completes on Ctrl-C and SIGTERM; never if these signals cannot be watched.
async fn interrupted() {
    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_gives_its_result_or_its_error() {
        assert_eq!(run(async { Ok::<_, Error>(7) }).expect("it succeeds"), 7);
        let failed = run(async { Err::<(), _>(Error::new(ErrorKind::Session, "no")) });
        assert_eq!(failed.expect_err("it fails").kind(), ErrorKind::Session);
    }
}
