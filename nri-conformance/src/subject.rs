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
//! A file that is a WebAssembly module is loaded into this process instead, which needs the feature
//! `wasm`.
//!
//! An executable runs in its own temporary folder and process group. Everything that it has started
//! is killed when its [`Instance`] is dropped.

mod listener;
mod output;
mod process;

use std::ffi::OsString;
use std::fs::File;
use std::future::pending;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nri::plugin::Plugin;
use nri::stub::Stub;
use nri_adaptation::Revision;
use tokio::io::{AsyncRead, AsyncWrite, duplex};
use tokio::time::timeout;

use crate::error::{Error, ErrorKind, Result};

#[doc(hidden)]
pub use listener::Listener;
#[doc(hidden)]
pub use output::Output;
#[doc(hidden)]
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
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    /// A folder that a plugin which changes the machine uses in place of the root of the file
    /// system. It is passed in the environment variable `NRI_DRY_ROOT`, and replaces `{dry-root}`
    /// in arguments.
    pub dry_root: Option<PathBuf>,
}

impl Executable {
    /// Creates an executable without arguments, variables and special settings.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Executable {
            path: path.into(),
            args: Vec::new(),
            env: Vec::new(),
            own_identity: false,
            isolate: false,
            dry_root: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: Into<OsString>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds a variable to its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }
}

impl Subject {
    /// Creates a plugin that a runtime launches.
    pub fn launched(executable: Executable) -> Self {
        Subject(Arc::new(How::Launched(executable)))
    }

    /// Creates a plugin that connects to the runtime on its own, and again when the connection is
    /// lost. `{socket}` in its arguments and environment is replaced with the path of the socket,
    /// which is also passed in `NRI_SOCKET`.
    pub fn external(executable: Executable) -> Self {
        Subject(Arc::new(How::External(executable)))
    }

    /// Creates a plugin that is started by other means and connects to this listener.
    #[doc(hidden)]
    pub fn waiting(listener: Listener) -> Self {
        Subject(Arc::new(How::Waiting(listener)))
    }

    /// Creates a plugin in this process. All instances share the value.
    pub fn in_process<P: Plugin>(plugin: P) -> Self {
        let plugin = Arc::new(plugin);
        Self::in_process_with(move || Arc::clone(&plugin))
    }

    /// Creates a plugin in this process. Each instance has its own value.
    pub fn in_process_with<P: Plugin>(make: impl Fn() -> P + Send + Sync + 'static) -> Self {
        Self::streams(move || serve(make()))
    }

    /// Creates a plugin at the other end of streams. Each instance uses the next stream.
    pub fn streams<S: Stream + 'static>(next: impl Fn() -> S + Send + Sync + 'static) -> Self {
        Subject(Arc::new(How::InProcess(Box::new(move || Box::new(next())))))
    }

    /// Returns true if it registers with its own name and index, and not with those from the
    /// runtime.
    pub fn has_own_identity(&self) -> bool {
        !matches!(&*self.0, How::Launched(executable) if !executable.own_identity)
    }

    /// Returns true if it is a WebAssembly module.
    pub fn is_module(&self) -> bool {
        matches!(&*self.0, How::Launched(executable) if is_module(&executable.path))
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
    #[doc(hidden)]
    pub async fn start(&self) -> Result<Instance> {
        self.start_under(None).await
    }

    /// Starts an instance for a runtime of this revision. This matters only for WebAssembly
    /// modules, which must have the functions that the revision requires. Without a revision, they
    /// are loaded with the functions that they have.
    pub(crate) async fn start_under(&self, revision: Option<&Revision>) -> Result<Instance> {
        let mut instance = Instance::default();
        match &*self.0 {
            How::Launched(executable) if is_module(&executable.path) => {
                let (stream, rpcs) = load(&executable.path, revision).await?;
                (instance.stream, instance.rpcs) = (Some(stream), Some(rpcs));
            }
            How::Launched(executable) => {
                let (stream, process) = process::launch(executable)?;
                (instance.stream, instance.process) = (Some(stream), Some(process));
            }
            How::External(executable) => {
                let listener = Listener::temporary()?;
                instance.process = Some(process::external(executable, listener.path())?);
                instance.listener = Some(listener);
            }
            How::Waiting(listener) => instance.listener = Some(listener.clone()),
            How::InProcess(start) => instance.stream = Some(start()),
        }
        Ok(instance)
    }
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("executable", &self.executable()).finish_non_exhaustive()
    }
}

/// A started plugin. Its process, and everything that it has started, is killed when this is
/// dropped.
#[derive(Default)]
#[doc(hidden)]
pub struct Instance {
    stream: Option<Box<dyn Stream>>,
    /// The process, if the plugin has one that was started here.
    pub process: Option<Process>,
    /// The RPCs for which a WebAssembly module has functions; `None` for other plugins.
    pub rpcs: Option<Vec<&'static str>>,
    listener: Option<Listener>,
}

impl Instance {
    /// Returns the runtime's end of the next connection. Waits for an external plugin to connect.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`Connection`](ErrorKind::Connection) if it does not connect in
    /// time, if its process has ended, or if its only connection has already been used.
    pub async fn connection(&mut self, within: Duration) -> Result<Box<dyn Stream>> {
        let failed = |message| Err(Error::of(ErrorKind::Connection, message));
        if let Some(stream) = self.stream.take() {
            return Ok(stream);
        }
        let Some(listener) = &self.listener else {
            return failed("the plugin does not connect again".to_owned());
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
                Ok(accepted) => accepted.map_err(|error| {
                    let message = format!("cannot accept the connection of the plugin: {error}");
                    Error::of(ErrorKind::Connection, message).with_source(error)
                }),
                Err(_) => failed(format!("the plugin did not connect within {within:?}")),
            },
            Some(exit) = ended => failed(format!("the plugin ended before it connected, with {exit}")),
        }
    }

    /// Returns the last lines that the plugin printed, if it was started as a process. If it has
    /// ended, waits for the rest of its output, at most a second: another process may keep the
    /// output open.
    pub async fn last_lines(&mut self) -> Vec<String> {
        match &mut self.process {
            Some(process) => process.last_lines().await,
            None => Vec::new(),
        }
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("process", &self.process).finish_non_exhaustive()
    }
}

/// Starts an instance and returns the runtime's end of its connection.
type Start = Box<dyn Fn() -> Box<dyn Stream> + Send + Sync>;

/// The maximum number of bytes in flight in each direction, about that of a Unix socket.
const PIPE_BYTES: usize = 256 << 10;

/// Serves a plugin, and returns the runtime's end of its connection. Signals belong to the test.
fn serve<P: Plugin>(plugin: P) -> impl Stream {
    let (ours, theirs) = duplex(PIPE_BYTES);
    let mut builder = Stub::builder(plugin).stream(theirs).no_logging();
    if P::NAME.is_none() {
        builder = builder.name(process::NAME);
    }
    if P::INDEX.is_none() {
        builder = builder.index(process::INDEX);
    }
    tokio::spawn(async move {
        let served = async { builder.build()?.run_until(pending()).await };
        if let Err(error) = served.await {
            tracing::debug!("the plugin ended: {error}");
        }
    });
    ours
}

/// The first bytes of every module.
const MAGIC: [u8; 4] = *b"\0asm";

/// The time that a module has to start: the registration timeout of runtimes.
#[cfg(feature = "wasm")]
const START: Duration = Duration::from_secs(5);

/// Returns true if a file is a module. Like a runtime, decides by the first bytes.
fn is_module(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == MAGIC
}

/// Loads a module as a runtime of this revision does. Without a revision, requires only the
/// functions that it has. Returns its connection, and the RPCs for which it has functions.
#[cfg(feature = "wasm")]
async fn load(
    path: &Path,
    revision: Option<&Revision>,
) -> Result<(Box<dyn Stream>, Vec<&'static str>)> {
    let (index, name) = process::identity(path);
    let id = nri_adaptation::PluginId::lenient(&index, &name)
        .map_err(|invalid| Error::new(invalid.to_string()))?;
    let module = nri_adaptation::WasmModule::load(path, id, revision, START)
        .await
        .map_err(|error| Error::new(format!("the module does not load: {error}")))?;
    let rpcs = module.rpcs();
    Ok((Box::new(module.connect()), rpcs))
}

#[cfg(not(feature = "wasm"))]
async fn load(path: &Path, _: Option<&Revision>) -> Result<(Box<dyn Stream>, Vec<&'static str>)> {
    let message = format!("{} is a WebAssembly module", path.display());
    Err(Error::new(message).with_help("build nri-conformance with the feature `wasm`"))
}
