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

/// Parses a duration: `2s`, `500ms`, `1m`, or a number of seconds.
///
/// # Errors
///
/// Returns the reason if the text is not a duration greater than zero.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let millis: u64 = match unit {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        _ => return Err(format!("unknown unit `{unit}`: one of ms, s, m")),
    };
    let number: u64 = digits.parse().map_err(|_| "not a number".to_owned())?;
    match number.checked_mul(millis) {
        None => Err("too long".to_owned()),
        Some(0) => Err("must be longer than 0".to_owned()),
        Some(millis) => Ok(Duration::from_millis(millis)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("2"), Ok(Duration::from_secs(2)));
        assert_eq!(duration("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("3m"), Ok(Duration::from_secs(180)));
        for text in [
            "",
            "0",
            "-1",
            "1h",
            "s",
            "2 s",
            "99999999999999999999",
            "18446744073709551615m",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn work_gives_its_result_or_its_error() {
        assert_eq!(run(async { Ok::<_, Error>(7) }).expect("it succeeds"), 7);
        let failed = run(async { Err::<(), _>(Error::new(ErrorKind::Session, "no")) });
        assert_eq!(failed.expect_err("it fails").kind(), ErrorKind::Session);
    }
}
