//! As a wrapper that starts the plugin and connects to the runtime.

use std::path::PathBuf;
use std::time::Duration;

use nri::stub::{Attempts, Backoff};
use tokio::time::{Instant, sleep};

use super::reach;
use crate::child::Program;
use crate::error::{Error, ErrorKind};
use crate::relay::{End, Options, relay};
use crate::state::State;

/// Whether a plugin that ended is started again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relaunch {
    /// Never, like the reference runtime: the bridge ends too, and whatever runs it decides.
    #[default]
    Never,
    /// Whenever it ended while the runtime was connected, with growing waits from 100 ms to 10 s.
    OnFailure,
}

/// A plugin that the bridge starts.
#[derive(Clone, Debug)]
pub struct Wrapping {
    /// The socket of the runtime.
    pub socket: PathBuf,
    /// The plugin.
    pub program: Program,
    /// Whether it is started again.
    pub relaunch: Relaunch,
}

/// Runs the plugin whenever the runtime is there: a runtime that restarts gets a new process, as
/// one that launches plugins itself. Returns only with an error, when the plugin ended and is not
/// started again.
///
/// # Errors
///
/// Returns an error if the plugin cannot be started, or ended.
pub async fn wrap(wrapping: &Wrapping, options: &Options, state: &State) -> Result<(), Error> {
    let mut attempts = Attempts::new(Backoff::default());
    loop {
        let runtime = reach(&wrapping.socket).await;
        let begin = Instant::now();
        let (plugin, child) = wrapping.program.start()?;
        let end = relay(runtime, plugin, options, state).await;
        let status = child.end().await;
        tracing::info!("the plugin ended with {status}");
        let failed = !matches!(end, End::Runtime(_));
        if failed && wrapping.relaunch == Relaunch::Never {
            let message = format!("{end}; it ended with {status}");
            return Err(Error::new(ErrorKind::Plugin, message)
                .with_help("see its output above; --relaunch on-failure starts it again"));
        }
        attempts.held(begin.elapsed());
        pause(&mut attempts).await;
    }
}

/// Waits before the next attempt.
async fn pause(attempts: &mut Attempts) {
    let wait: Duration = attempts.next_wait();
    tracing::debug!("connecting again in {wait:?}");
    sleep(wait).await;
}
