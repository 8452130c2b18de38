//! Replays a recording to a plugin.

mod compare;
mod engine;
mod exchange;
mod index;
mod outcome;
mod plan;

use std::path::{Path, PathBuf};
use std::time::Duration;

use nri::plugin::Plugin;
use tokio::io::{AsyncRead, AsyncWrite};

use super::reader::Reader;
use crate::blocking;
use crate::error::{Error, ErrorKind, Result};
use crate::subject::Subject;

pub use index::ConnectionInfo;
pub use outcome::{Difference, DifferenceKind, Replayed, Skipped};

/// The speed of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speed {
    /// Each request as soon as the previous one is answered.
    #[default]
    Full,
    /// Each request at its recorded time, or as soon as the previous one is answered if that is later.
    Original,
}

/// The settings of a replay.
#[derive(Clone, Debug)]
struct Settings {
    speed: Speed,
    timeout: Option<Duration>,
    default_timeout: Duration,
    registration_timeout: Duration,
    connection: Option<u32>,
    plugin_config: Option<String>,
}

/// A recording with the settings of its replay, and `P`, the plugin to which it is replayed, once it is set.
#[derive(Debug)]
#[must_use = "nothing is replayed until `run` or `assert` is called"]
pub struct Replay<P = ()> {
    path: PathBuf,
    settings: Settings,
    plugin: P,
}

/// Replays a recording to a plugin in this process, and compares its answers with the recorded ones.
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
pub fn replay(recording: impl AsRef<Path>, plugin: impl Plugin) -> Replay<Subject> {
    Replay::open(recording).to(Subject::in_process(plugin))
}

impl Replay {
    /// Returns a replay of a recording. The file is read when the replay runs.
    pub fn open(recording: impl AsRef<Path>) -> Self {
        Replay {
            path: recording.as_ref().to_owned(),
            settings: Settings {
                speed: Speed::Full,
                timeout: None,
                default_timeout: Duration::from_secs(2),
                registration_timeout: Duration::from_secs(5),
                connection: None,
                plugin_config: None,
            },
            plugin: (),
        }
    }

    /// Sets the plugin.
    pub fn to(self, plugin: Subject) -> Replay<Subject> {
        Replay {
            path: self.path,
            settings: self.settings,
            plugin,
        }
    }

    /// Replays the recording over a stream to a plugin, which has not registered yet.
    ///
    /// The whole recording is checked first; nothing is sent if it is truncated.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Reader`], [`ErrorKind::Selection`] if the connection to replay is unclear, and
    /// [`ErrorKind::Registration`] if the plugin does not register. A later failure of the plugin is not an error but a
    /// difference.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time enabled.
    pub async fn run<S>(self, stream: S) -> Result<Replayed>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let info = self.selected().await?;
        self.play(info, stream).await
    }
}

impl<P> Replay<P> {
    /// Sets the speed; full speed by default.
    pub fn speed(mut self, speed: Speed) -> Self {
        self.settings.speed = speed;
        self
    }

    /// Sets the connection to replay. Needed only if the recording has several with requests.
    pub fn connection(mut self, number: u32) -> Self {
        self.settings.connection = Some(number);
        self
    }

    /// Sets the time limit for each answer of the plugin. The default is the recorded time limit, or 2 s if none was
    /// recorded.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout);
        self
    }

    /// Sets the time limit for the plugin to connect and to register; 5 s by default.
    pub fn registration_timeout(mut self, timeout: Duration) -> Self {
        self.settings.registration_timeout = timeout;
        self
    }

    /// Sets the configuration that the plugin gets with Configure. The default is the recorded one.
    pub fn plugin_config(mut self, config: impl Into<String>) -> Self {
        self.settings.plugin_config = Some(config.into());
        self
    }

    /// Reads the whole recording and returns its connections.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Reader`].
    pub async fn connections(&self) -> Result<Vec<ConnectionInfo>> {
        let path = self.path.clone();
        let read = move || index::connections(&mut Reader::open(path)?);
        tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| {
            Err(Error::of(
                ErrorKind::Io,
                "the thread that reads the recording has failed",
            ))
        })
    }

    async fn selected(&self) -> Result<ConnectionInfo> {
        let connections = self.connections().await?;
        index::select(connections, self.settings.connection)
            .map_err(|error| error.in_file(&self.path))
    }

    async fn play<S>(self, info: ConnectionInfo, stream: S) -> Result<Replayed>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        engine::play(Reader::open(&self.path)?, info, stream, self.settings).await
    }
}

impl Replay<Subject> {
    /// Starts the plugin, replays the recording, and ends the plugin.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Replay::run`] over a stream, and [`ErrorKind::Connection`] if the plugin cannot be started.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time and I/O enabled.
    pub async fn run(self) -> Result<Replayed> {
        let info = self.selected().await?;
        let mut instance = self.plugin.start().await.map_err(|error| {
            Error::of(
                ErrorKind::Connection,
                format!("cannot start the plugin: {error}"),
            )
            .with_source(error)
        })?;
        let within = self.settings.registration_timeout;
        let Ok(stream) = instance.connection(within).await else {
            let message = format!("the plugin did not connect within {within:?}");
            return Err(Error::of(ErrorKind::Registration, message));
        };
        self.play(info, stream).await
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

    /// Replays the recording. If there are differences, panics with a list of them. Works in a `#[test]` and in a
    /// `#[tokio::test]`.
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
