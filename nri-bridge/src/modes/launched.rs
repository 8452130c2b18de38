//! Launched by the runtime in place of the plugin.

use std::path::Path;

use nri::stub::launched_socket;

use crate::child::Program;
use crate::error::{Error, ErrorKind};
use crate::place;
use crate::relay::{End, Options, relay};
use crate::state::State;

/// Runs as a plugin that a runtime launched with this path, until the runtime closes the
/// connection.
///
/// # Errors
///
/// Returns an error if no runtime launched this process, if the plugin is not where [`place`] says,
/// or if it fails.
pub async fn launched(bridge: &Path, options: &Options, state: &State) -> Result<(), Error> {
    let runtime = launched_socket()?.ok_or_else(|| {
        Error::new(ErrorKind::Config, "no runtime launched this process")
            .with_help("name a plugin with `-- PROGRAM`, or a socket with --listen; see --help")
    })?;
    let program = Program {
        path: place::plugin_of(bridge)?,
        arguments: Vec::new(),
        // It inherits the variables with index and name that the runtime set.
        id: None,
    };
    let (plugin, child) = program.start()?;
    let end = relay(runtime, plugin, options, state).await;
    let status = child.end().await;
    match end {
        End::Runtime(_) => Ok(()),
        End::PluginClosed | End::PluginFailed(_) => {
            Err(Error::new(ErrorKind::Plugin, format!("{end}; it ended with {status}")))
        }
    }
}
