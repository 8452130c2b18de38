//! Plugins that run in the runtime's process.

use std::sync::Arc;

use nri::plugin::Plugin;
use nri::stub::Stub;
use nri::{Error, ErrorKind, Result};

use super::core::Core;
use super::identity::PluginId;
use super::session::{Origin, attach};

/// Bytes between plugin and adaptation that one side may be ahead of the other.
const BUFFER: usize = 64 << 10;

/// Runs a plugin in this process.
///
/// It registers, synchronizes and asks for updates over a stream in memory, as it would over a socket. Events are calls
/// of its handlers, with nothing in between but the deadline.
pub(super) async fn run<P: Plugin>(
    core: &Arc<Core>,
    plugin: P,
    index: &str,
    name: &str,
) -> Result<PluginId> {
    let id = PluginId::checked(index, name, &core.revision)
        .map_err(|reason| Error::with_kind(ErrorKind::Config, reason))?;
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    let stub = Stub::builder(plugin)
        .name(name)
        .index(index)
        .stream(theirs)
        .no_logging()
        .no_reconnect()
        .build()?;
    let direct = stub.direct();
    let stopping = Arc::clone(core);
    let full_name = id.to_string();
    tokio::spawn(async move {
        if let Err(error) = stub
            .run_until(async move { stopping.stopped().await })
            .await
        {
            tracing::error!("builtin plugin {full_name} ended: {error}");
        }
    });
    attach(core, ours, Origin::Builtin(id, direct)).await
}

/// Returns the index and name that `#[nri(…)]` gives a plugin.
pub(super) fn identity<P: Plugin>() -> Result<(&'static str, &'static str)> {
    P::INDEX.zip(P::NAME).ok_or_else(|| {
        let message = "builtin plugin without index or name";
        Error::with_kind(ErrorKind::Config, message)
            .with_help("write #[nri(name = \"…\", index = \"…\")], or call Adaptation::builtin_as")
    })
}
