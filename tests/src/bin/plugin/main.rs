//! A plugin on `nri` with the flags and the annotations of the Go plugin in `peers/plugin`, with
//! the same long answers and the same misbehaviour.
//!
//! It obeys these annotations, for the event in `peer/on` or for every event: `peer/sleep-ms`,
//! `peer/block-ms` (blocks the thread), `peer/panic` (text), `peer/error` (text),
//! `peer/adjust-bytes` (length of an annotation in the answer to CreateContainer), `peer/update`
//! (container to update in the answer), `peer/unsolicited` (container to update in a separate call,
//! after PostStartContainer).
#![forbid(unsafe_code)]

mod annotations;
mod handlers;
mod settings;

use handlers::{FailRequest, KeepConnected, OkOnTimeout, Plain};
use nri::plugin::Plugin;
use nri::stub::Stub;
use settings::{Policy, Settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> nri::Result<()> {
    let settings = Settings::parse()?;
    // Warnings go to standard error; standard output is for the lines that the test reads.
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    match settings.policy {
        Policy::None => run(Plain(settings.clone()), settings).await,
        Policy::OkOnTimeout => run(OkOnTimeout(settings.clone()), settings).await,
        Policy::FailRequest => run(FailRequest(settings.clone()), settings).await,
        Policy::KeepConnected => run(KeepConnected(settings.clone()), settings).await,
    }
}

async fn run<P: Plugin>(plugin: P, settings: Settings) -> nri::Result<()> {
    let mut builder = Stub::builder(plugin);
    if let Some(socket) = settings.socket {
        builder = builder.socket(socket);
    }
    if let Some(name) = settings.name {
        builder = builder.name(name);
    }
    if let Some(index) = settings.index {
        builder = builder.index(index);
    }
    builder.run().await
}
