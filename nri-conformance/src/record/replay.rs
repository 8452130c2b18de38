//! Replays a recording to a plugin.

mod compare;
mod connections;
mod engine;
mod outcome;
mod plan;

use std::path::{Path, PathBuf};
use std::time::Duration;

use nri::plugin::Plugin;

use super::reader::Reader;
use crate::blocking;
use crate::error::{Error, ErrorKind, Result};
use crate::subject::Subject;

use connections::ConnectionInfo;
pub use outcome::{Difference, DifferenceKind, Replayed, Skipped};

/// The speed of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speed {
    /// Each request as soon as the previous one is answered.
    #[default]
    Full,
    /// Each request at its recorded time, or as soon as the previous one is answered if that is
    /// later.
    Original,
}

/// A replay of a recording to a plugin.
#[derive(Debug)]
#[must_use = "nothing is replayed until `run` or `assert` is called"]
pub struct Replay {
    path: PathBuf,
    plugin: Subject,
    speed: Speed,
    timeout: Option<Duration>,
    registration_timeout: Duration,
    connection: Option<u32>,
    plugin_config: Option<String>,
}

/// Replays a recording to a plugin in this process, and compares its answers with the recorded
/// ones.
///
/// ```no_run
/// # use nri::prelude::*;
/// # #[derive(NriPlugin)]
/// # struct MyPlugin;
/// # impl RunPodSandbox for MyPlugin {
/// #     async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
/// # }
/// #[test]
/// fn answers_as_it_did_in_production() {
///     nri_conformance::replay("session.nri", MyPlugin).assert();
/// }
/// ```
pub fn replay(recording: impl AsRef<Path>, plugin: impl Plugin) -> Replay {
    Replay::new(recording, Subject::in_process(plugin))
}

impl Replay {
    /// Returns a replay of a recording to a plugin. The file is read when the replay runs.
    pub fn new(recording: impl AsRef<Path>, plugin: Subject) -> Self {
        Replay {
            path: recording.as_ref().to_owned(),
            plugin,
            speed: Speed::Full,
            timeout: None,
            registration_timeout: Duration::from_secs(5),
            connection: None,
            plugin_config: None,
        }
    }

    /// Sets the speed; full speed by default.
    pub fn speed(mut self, speed: Speed) -> Self {
        self.speed = speed;
        self
    }

    /// Sets the connection to replay. Needed only if the recording has several with requests.
    pub fn connection(mut self, number: u32) -> Self {
        self.connection = Some(number);
        self
    }

    /// Sets the time limit for each answer of the plugin. The default is the recorded time limit,
    /// or 2 s if none was recorded.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the time limit for the plugin to connect and to register; 5 s by default.
    pub fn registration_timeout(mut self, timeout: Duration) -> Self {
        self.registration_timeout = timeout;
        self
    }

    /// Sets the configuration that the plugin gets with Configure. The default is the recorded one.
    pub fn plugin_config(mut self, config: impl Into<String>) -> Self {
        self.plugin_config = Some(config.into());
        self
    }

    /// Starts the plugin, replays the recording, and ends the plugin.
    ///
    /// The whole recording is checked first; nothing is sent if it is truncated.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Reader`], [`ErrorKind::Selection`] if the connection to replay is
    /// unclear, [`ErrorKind::Connection`] if the plugin cannot be started, and
    /// [`ErrorKind::Registration`] if it does not register. A later failure of the plugin is not an
    /// error but a difference.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time and I/O enabled.
    pub async fn run(self) -> Result<Replayed> {
        let connection = self.selected().await?;
        let mut instance = self.plugin.start().await.map_err(|error| {
            let message = format!("cannot start the plugin: {error}");
            Error::of(ErrorKind::Connection, message).with_source(error)
        })?;
        let within = self.registration_timeout;
        let Ok(stream) = instance.connection(within).await else {
            let message = format!("the plugin did not connect within {within:?}");
            return Err(Error::of(ErrorKind::Registration, message));
        };
        engine::play(&self, connection, stream).await
    }

    async fn selected(&self) -> Result<ConnectionInfo> {
        let path = self.path.clone();
        let read = move || connections::connections(&mut Reader::open(path)?);
        let connections = tokio::task::spawn_blocking(read)
            .await
            .map_err(|error| Error::failed("cannot read the recording", error.into()))??;
        connections::select(connections, self.connection).map_err(|error| error.in_file(&self.path))
    }

    /// Runs the replay on a separate thread, and waits for it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Replay::run`].
    ///
    /// # Panics
    ///
    /// Panics if the replay panics.
    pub fn run_blocking(self) -> Result<Replayed> {
        blocking::on_a_thread(self.run(), |error| {
            Err(Error::failed("cannot start a tokio runtime", error))
        })
    }

    /// Replays the recording. If there are differences, panics with a list of them. Works in a
    /// `#[test]` and in a `#[tokio::test]`.
    ///
    /// # Panics
    ///
    /// Panics if there are differences, or if the replay cannot run.
    #[track_caller]
    pub fn assert(self) {
        match self.run_blocking() {
            Ok(replayed) => replayed.assert(),
            Err(error) => {
                let help = error.help().map(|help| format!("\nhelp: {help}"));
                panic!("{error}{}", help.unwrap_or_default());
            }
        }
    }
}
