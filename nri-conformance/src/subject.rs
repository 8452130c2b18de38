//! The plugin under test, and how its instances are started and ended.
//!
//! | Plugin | How it is started |
//! | --- | --- |
//! | [`Subject::launched`] | like by a runtime: with a cleared environment, and its connection at file descriptor 3 |
//! | [`Subject::external`] | with arguments of the caller; it connects to a socket, whose path replaces `{socket}` in them |
//! | [`Subject::waiting`] | by other means; it connects to a socket at a given path |
//! | [`Subject::in_process`] | as a value in this process |
//! | [`Subject::streams`] | not at all: the caller acts as the plugin at the other end of streams |
//!
//! A file that is a WebAssembly module is loaded into this process instead, which needs the feature `wasm`.
//!
//! An executable runs in its own temporary folder and process group. Everything that it has started is killed when its
//! [`Instance`] is dropped.

mod listener;
mod module;
mod output;
mod process;

use std::ffi::OsString;
use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nri::plugin::Plugin;
use nri::stub::Stub;
use nri_adaptation::Revision;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, duplex};
use tokio::time::timeout;

use crate::error::Result;

pub use listener::Listener;
pub use output::Output;
pub use process::{Exit, Process, Usage, adopt_orphans};

/// A stream of bytes in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Sync + Unpin> Stream for S {}

/// A plugin that can be started any number of times.
#[derive(Clone)]
pub struct Subject(Arc<How>);

enum How {
    Launched(Executable),
    External(Executable),
    Waiting(Listener),
    InProcess(Start),
}

/// An executable with its arguments and environment.
#[derive(Clone, Debug, Default)]
pub struct Executable {
    /// The file.
    pub path: PathBuf,
    /// The arguments. `{socket}` is replaced with the path of the socket to connect to.
    pub args: Vec<OsString>,
    /// Variables for its environment, in addition to those that a runtime sets.
    pub env: Vec<(OsString, OsString)>,
    /// True if a launched plugin has its own name and index, and receives none from the runtime.
    pub own_identity: bool,
    /// True if it runs in its own user and mount namespaces, through `unshare` of util-linux.
    pub isolate: bool,
    /// A folder that a plugin which changes the machine uses in place of the root of the file system. It is passed in the
    /// environment variable `NRI_DRY_ROOT`, and replaces `{dry-root}` in arguments.
    pub dry_root: Option<PathBuf>,
}

impl Subject {
    /// Creates a plugin that a runtime launches.
    pub fn launched(executable: Executable) -> Self {
        Subject(Arc::new(How::Launched(executable)))
    }

    /// Creates a plugin that connects to the runtime on its own, and again when the connection is lost. `{socket}` in its
    /// arguments and environment is replaced with the path of the socket, which is also passed in `NRI_SOCKET`.
    pub fn external(executable: Executable) -> Self {
        Subject(Arc::new(How::External(executable)))
    }

    /// Creates a plugin that is started by other means and connects to this listener.
    pub fn waiting(listener: Listener) -> Self {
        Subject(Arc::new(How::Waiting(listener)))
    }

    /// Creates a plugin in this process. All instances share the value.
    pub fn in_process<P: Plugin>(plugin: P) -> Self {
        Subject(Arc::new(How::InProcess(shared(plugin))))
    }

    /// Creates a plugin in this process. Each instance has its own value.
    pub fn in_process_with<P: Plugin>(make: impl Fn() -> P + Send + Sync + 'static) -> Self {
        Subject(Arc::new(How::InProcess(each(make))))
    }

    /// Creates a plugin at the other end of streams. Each instance uses the next stream.
    pub fn streams<S: Stream + 'static>(next: impl Fn() -> S + Send + Sync + 'static) -> Self {
        Subject(Arc::new(How::InProcess(Box::new(move || Box::new(next())))))
    }

    /// Returns true if it registers with its own name and index, and not with those from the runtime.
    pub fn has_own_identity(&self) -> bool {
        match &*self.0 {
            How::Launched(executable) => executable.own_identity,
            How::External(_) | How::Waiting(_) | How::InProcess(_) => true,
        }
    }

    /// Returns true if it is a WebAssembly module.
    pub fn is_module(&self) -> bool {
        match &*self.0 {
            How::Launched(executable) => module::is_module(&executable.path),
            How::External(_) | How::Waiting(_) | How::InProcess(_) => false,
        }
    }

    /// Returns true if it connects on its own, and again when the connection is lost.
    pub fn is_external(&self) -> bool {
        matches!(*self.0, How::External(_) | How::Waiting(_))
    }

    /// Returns the executable, if it is one.
    pub fn executable(&self) -> Option<&Executable> {
        match &*self.0 {
            How::Launched(executable) | How::External(executable) => Some(executable),
            How::Waiting(_) | How::InProcess(_) => None,
        }
    }

    /// Starts an instance.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be started. A plugin that starts and fails is not an error.
    pub async fn start(&self) -> Result<Instance> {
        self.start_under(None).await
    }

    /// Starts an instance for a runtime of this revision. This matters only for WebAssembly modules, which must have the
    /// functions that the revision requires. Without a revision, they are loaded with the functions that they have.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be started. A plugin that starts and fails is not an error.
    pub async fn start_under(&self, revision: Option<&Revision>) -> Result<Instance> {
        match &*self.0 {
            How::Launched(executable) if self.is_module() => {
                let (stream, rpcs) = module::load(&executable.path, revision).await?;
                let mut instance = Instance::new(Some(stream), None, None);
                instance.rpcs = Some(rpcs);
                Ok(instance)
            }
            How::Launched(executable) => {
                let (stream, process) = process::launch(executable)?;
                Ok(Instance::new(Some(stream), Some(process), None))
            }
            How::External(executable) => {
                let listener = Listener::temporary()?;
                let process = process::external(executable, listener.path())?;
                Ok(Instance::new(None, Some(process), Some(listener)))
            }
            How::Waiting(listener) => Ok(Instance::new(None, None, Some(listener.clone()))),
            How::InProcess(start) => Ok(Instance::new(Some(start()), None, None)),
        }
    }
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &*self.0 {
            How::Launched(executable) => f.debug_tuple("Launched").field(executable).finish(),
            How::External(executable) => f.debug_tuple("External").field(executable).finish(),
            How::Waiting(listener) => f.debug_tuple("Waiting").field(listener).finish(),
            How::InProcess(_) => f.write_str("InProcess"),
        }
    }
}

/// The reason for which a plugin did not connect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoConnection {
    /// It did not connect in time.
    #[error("the plugin did not connect within {0:?}")]
    Timeout(Duration),
    /// Its process has ended.
    #[error("the plugin ended before it connected, with {0}")]
    Ended(Exit),
    /// The connection was not accepted.
    #[error("cannot accept the connection of the plugin: {0}")]
    Failed(String),
    /// Its only connection has already been used.
    #[error("the plugin does not connect again")]
    Over,
}

/// A started plugin. Its process, and everything that it has started, is killed when this is dropped.
pub struct Instance {
    stream: Option<Box<dyn Stream>>,
    /// The process, if the plugin has one that was started here.
    pub process: Option<Process>,
    /// The RPCs for which a WebAssembly module has functions; `None` for other plugins.
    pub rpcs: Option<Vec<&'static str>>,
    listener: Option<Listener>,
}

impl Instance {
    fn new(
        stream: Option<Box<dyn Stream>>,
        process: Option<Process>,
        listener: Option<Listener>,
    ) -> Self {
        Instance {
            stream,
            process,
            rpcs: None,
            listener,
        }
    }

    /// Returns the runtime's end of the next connection. Waits for an external plugin to connect.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no connection.
    pub async fn connection(
        &mut self,
        within: Duration,
    ) -> std::result::Result<Box<dyn Stream>, NoConnection> {
        if let Some(stream) = self.stream.take() {
            return Ok(stream);
        }
        let Some(listener) = self.listener.clone() else {
            return Err(NoConnection::Over);
        };
        let process = self.process.as_ref();
        let ended = async {
            match process {
                Some(process) => process.ended(within).await,
                None => pending().await,
            }
        };
        tokio::select! {
            accepted = timeout(within, listener.accept()) => match accepted {
                Ok(accepted) => accepted.map_err(|error| NoConnection::Failed(error.to_string())),
                Err(_) => Err(NoConnection::Timeout(within)),
            },
            Some(exit) = ended => Err(NoConnection::Ended(exit)),
        }
    }

    /// Returns the last lines that the plugin printed, if it was started as a process. If it has ended, waits for the
    /// rest of its output, at most a second: another process may keep the output open.
    pub async fn last_lines(&mut self) -> Vec<String> {
        match &mut self.process {
            Some(process) => process.last_lines().await,
            None => Vec::new(),
        }
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

/// Starts an instance and returns the runtime's end of its connection.
type Start = Box<dyn Fn() -> Box<dyn Stream> + Send + Sync>;

/// The maximum number of bytes in flight in each direction, about that of a Unix socket.
const PIPE_BYTES: usize = 256 << 10;

/// The identity of a plugin without its own.
const NAME: &str = "plugin";
const INDEX: &str = "00";

/// Starts instances that share a plugin.
fn shared<P: Plugin>(plugin: P) -> Start {
    let plugin = Arc::new(plugin);
    Box::new(move || run(Arc::clone(&plugin)))
}

/// Starts instances that each have their own plugin.
fn each<P: Plugin>(make: impl Fn() -> P + Send + Sync + 'static) -> Start {
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
