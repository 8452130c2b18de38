//! The three ways to run.

mod launched;
mod listening;
mod wrapping;

pub use launched::launched;
pub use listening::{Listening, listen};
pub use wrapping::{Relaunch, Wrapping, wrap};

use std::path::Path;

use nri::stub::{Attempts, Backoff};
use nri::wire::Socket;
use tokio::time::sleep;

/// Connects to the runtime, as soon as it listens.
async fn reach(socket: &Path) -> Socket {
    let mut attempts = Attempts::new(Backoff::default());
    let mut was_logged = false;
    loop {
        match nri::stub::connect(socket).await {
            Ok(stream) => return stream,
            Err(error) => {
                if !was_logged {
                    let help = error.help().unwrap_or_default();
                    tracing::warn!("waiting for the runtime: {error}; {help}");
                }
                was_logged = true;
                sleep(attempts.next_wait()).await;
            }
        }
    }
}
