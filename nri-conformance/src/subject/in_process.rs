//! Plugins in this process, each at the other end of a pipe in memory.

use std::future::pending;
use std::sync::Arc;

use nri::plugin::Plugin;
use nri::stub::Stub;
use tokio::io::{DuplexStream, duplex};

use super::Stream;

/// Starts an instance and returns the runtime's end of its connection.
pub(super) type Start = Box<dyn Fn() -> Box<dyn Stream> + Send + Sync>;

/// The maximum number of bytes in flight in each direction, about that of a Unix socket.
const PIPE_BYTES: usize = 256 << 10;

/// The identity of a plugin without its own.
const NAME: &str = "plugin";
const INDEX: &str = "00";

/// Starts instances that share a plugin.
pub(super) fn shared<P: Plugin>(plugin: P) -> Start {
    let plugin = Arc::new(plugin);
    Box::new(move || run(Arc::clone(&plugin)))
}

/// Starts instances that each have their own plugin.
pub(super) fn each<P: Plugin>(make: impl Fn() -> P + Send + Sync + 'static) -> Start {
    Box::new(move || run(make()))
}

fn run<P: Plugin>(plugin: P) -> Box<dyn Stream> {
    let (ours, theirs) = duplex(PIPE_BYTES);
    tokio::spawn(async move {
        if let Err(error) = serve(plugin, theirs).await {
            tracing::debug!("the plugin ended: {error}");
        }
    });
    Box::new(ours)
}

/// Serves the plugin without listening for signals, which belong to the test.
async fn serve<P: Plugin>(plugin: P, stream: DuplexStream) -> nri::Result<()> {
    let mut builder = Stub::builder(plugin).stream(stream).no_logging();
    if P::NAME.is_none() {
        builder = builder.name(NAME);
    }
    if P::INDEX.is_none() {
        builder = builder.index(INDEX);
    }
    builder.build()?.run_until(pending()).await
}
