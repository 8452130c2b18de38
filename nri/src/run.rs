//! Runs a plugin in a program that has no tokio runtime of its own.

use tokio::runtime::{Builder, Handle};

use crate::plugin::Plugin;
use crate::{Error, ErrorKind, Result};

/// Runs a plugin until it is asked to stop or cannot continue: as a launched plugin if a runtime
/// launched it, else as an external one at the default socket.
///
/// This is [`stub::run`](crate::stub::run) in [`block_on`]. Logs to standard error unless the
/// program has installed a `tracing` subscriber, see [`logging`](crate::logging).
///
/// # Errors
///
/// Returns the errors of [`stub::run`](crate::stub::run) and [`block_on`].
pub fn run<P: Plugin>(plugin: P) -> Result<()> {
    block_on(crate::stub::run(plugin))
}

/// Runs a future on a tokio runtime of its own, on this thread.
///
/// A program with a tokio runtime awaits the future there instead.
///
/// ```no_run
/// # use nri::prelude::*;
/// # #[derive(NriPlugin)]
/// # #[nri(name = "pod-logger", index = "10")]
/// # struct PodLogger;
/// # impl RunPodSandbox for PodLogger {
/// #     async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
/// # }
/// use nri::stub::Stub;
///
/// fn main() -> nri::Result<()> {
///     nri::block_on(Stub::builder(PodLogger).socket("/run/test/nri.sock").run())
/// }
/// ```
///
/// # Errors
///
/// Returns the errors of the future, [`ErrorKind::Unsupported`] within a tokio runtime, and an
/// error if no runtime can be created.
pub fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    if Handle::try_current().is_ok() {
        let message = "cannot block a thread of a tokio runtime";
        return Err(Error::with_kind(ErrorKind::Unsupported, message).with_help(
            "await the future instead: `nri::run(plugin)` is `nri::stub::run(plugin).await`",
        ));
    }
    Builder::new_current_thread().enable_all().build()?.block_on(future)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_future_runs_with_timers() {
        let future = async {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            Ok(7)
        };
        assert_eq!(block_on(future).unwrap(), 7);
    }

    #[tokio::test]
    async fn a_runtime_is_not_blocked() {
        let error = block_on(async { Ok(()) }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.help().is_some_and(|help| help.contains("await")));
    }
}
