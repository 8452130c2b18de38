//! A plugin that subscribes to all events, changes nothing, and records the requests that it receives.

use std::io::Write;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nri::api::ValidateContainerAdjustmentRequest;
use nri::prelude::*;
use nri::stub::Stub;
use nri::wire::Socket;
use tokio::net::UnixStream;
use tokio::time::sleep;

use super::error::{Error, ErrorKind, Result};
use super::frame::{Closer, Source};
use super::options::{Options, Recorded};
use super::recorder::{Recorder, Tap};
use crate::tapped::Tapped;

/// The longest wait between attempts to reconnect.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The identity that the observing plugin registers with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub name: String,
    /// The index, two digits. The plugin receives requests after plugins with lower indices have changed them.
    pub index: String,
}

impl Default for Identity {
    /// Returns `99-nri-recorder`, which is called after all other plugins.
    fn default() -> Self {
        Identity {
            name: "nri-recorder".to_owned(),
            index: "99".to_owned(),
        }
    }
}

/// Connects to the runtime's socket as a plugin that subscribes to every event, changes nothing, and records each request.
/// Reconnects when the runtime restarts. Ends when `stop` completes.
///
/// ```no_run
/// use nri_conformance::record::{Identity, Options, create_file, observe};
///
/// # async fn example() -> Result<(), nri_conformance::record::Error> {
/// let file = create_file("session.nri".as_ref())?;
/// let stop = async { _ = tokio::signal::ctrl_c().await };
/// let socket = nri::stub::DEFAULT_SOCKET.as_ref();
/// observe(socket, Identity::default(), file, Options::default(), stop).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns [`ErrorKind::Connection`] if the runtime cannot be reached at first or refuses the plugin, and
/// [`ErrorKind::Io`] if the recording cannot be written.
///
/// # Panics
///
/// Panics outside of a tokio runtime with time and I/O enabled.
pub async fn observe(
    socket: &Path,
    identity: Identity,
    output: impl Write + Send + 'static,
    options: Options,
    stop: impl Future<Output = ()> + Send,
) -> Result<Recorded> {
    let first = connect(socket).await?;
    let recorder = Recorder::start(output, Source::Observer, options)?;
    let observed = {
        let mut stop = pin!(stop);
        observe_all(socket, first, &identity, &recorder, stop.as_mut()).await
    };
    let recorded = recorder.finish().await?;
    observed.map(|()| recorded)
}

/// Serves one connection after the other.
async fn observe_all(
    socket: &Path,
    first: Socket,
    identity: &Identity,
    recorder: &Recorder,
    mut stop: Pin<&mut (impl Future<Output = ()> + Send)>,
) -> Result<()> {
    let (mut stream, mut again, mut wait) = (first, false, FIRST_WAIT);
    loop {
        let observer = Arc::new(Observer::default());
        let served = serve(stream, &observer, identity, recorder.open(), stop.as_mut()).await;
        let synchronized = observer.synchronized.load(Ordering::Relaxed);
        match served {
            Served::Stopped => return Ok(()),
            Served::Lost(Err(error)) if !synchronized && !again => {
                return Err(refused(socket, error));
            }
            Served::Lost(Err(error)) => tracing::warn!("connecting again: {error:#}"),
            Served::Lost(Ok(())) => {
                tracing::warn!("connecting again: the runtime closed the connection");
            }
        }
        again = true;
        if synchronized {
            wait = FIRST_WAIT;
        }
        tokio::select! {
            () = stop.as_mut() => return Ok(()),
            connected = reconnect(socket, &mut wait) => stream = connected,
        }
    }
}

/// The end of the plugin's part in a connection.
enum Served {
    Stopped,
    Lost(nri::Result<()>),
}

async fn serve(
    stream: Socket,
    observer: &Arc<Observer>,
    identity: &Identity,
    tap: Tap,
    stop: Pin<&mut (impl Future<Output = ()> + Send)>,
) -> Served {
    let tap = Arc::new(tap);
    let tapped = Tapped::new(stream, Arc::clone(&tap));
    let stopped = AtomicBool::new(false);
    let built = Stub::builder(Arc::clone(observer))
        .name(&*identity.name)
        .index(&*identity.index)
        .stream(tapped)
        .no_logging()
        .build();
    let outcome = match built {
        Ok(stub) => {
            stub.run_until(async {
                stop.await;
                stopped.store(true, Ordering::Relaxed);
            })
            .await
        }
        Err(error) => Err(error),
    };
    let stopped = stopped.into_inner();
    let by = if stopped {
        Closer::Recorder
    } else {
        Closer::Runtime
    };
    tap.closed(by, outcome.as_ref().err().map(|error| format!("{error:#}")));
    if stopped {
        Served::Stopped
    } else {
        Served::Lost(outcome)
    }
}

async fn connect(socket: &Path) -> Result<Socket> {
    let connected = async { Socket::new(UnixStream::connect(socket).await?) };
    connected.await.map_err(|error| {
        let message = format!("cannot connect to {}: {error}", socket.display());
        Error::new(ErrorKind::Connection, message)
            .with_source(error)
            .with_help("check that the runtime runs with NRI enabled, and listens there")
    })
}

async fn reconnect(socket: &Path, wait: &mut Duration) -> Socket {
    loop {
        sleep(*wait).await;
        *wait = (*wait * 2).min(LONGEST_WAIT);
        match connect(socket).await {
            Ok(stream) => return stream,
            Err(error) => tracing::debug!("{error}"),
        }
    }
}

fn refused(socket: &Path, error: nri::Error) -> Error {
    let message = format!("cannot observe {}: {error:#}", socket.display());
    let help = error.help().map(str::to_owned);
    let refused = Error::new(ErrorKind::Connection, message).with_source(error);
    match help {
        Some(help) => refused.with_help(help),
        None => refused,
    }
}

/// A plugin with a handler for every event, none of which does anything.
#[derive(Default, NriPlugin)]
#[nri(name = "nri-recorder", index = "99")]
struct Observer {
    synchronized: AtomicBool,
}

impl Synchronize for Observer {
    async fn synchronize(
        &self,
        _: &EventContext,
        _: Vec<PodSandbox>,
        _: Vec<Container>,
    ) -> nri::Result<Updates> {
        self.synchronized.store(true, Ordering::Relaxed);
        Ok(Updates::new())
    }
}

macro_rules! ignore_events {
    ($($event:ident $method:ident($($argument:ty),*) -> $answer:ty;)*) => {$(
        impl $event for Observer {
            async fn $method(&self, _: &EventContext $(, _: $argument)*) -> nri::Result<$answer> {
                Ok(Default::default())
            }
        }
    )*};
}

ignore_events! {
    RunPodSandbox run_pod_sandbox(PodSandbox) -> ();
    UpdatePodSandbox update_pod_sandbox(PodSandbox, LinuxResources, LinuxResources) -> ();
    PostUpdatePodSandbox post_update_pod_sandbox(PodSandbox) -> ();
    StopPodSandbox stop_pod_sandbox(PodSandbox) -> ();
    RemovePodSandbox remove_pod_sandbox(PodSandbox) -> ();
    CreateContainer create_container(PodSandbox, Container) -> Adjustment;
    PostCreateContainer post_create_container(PodSandbox, Container) -> ();
    StartContainer start_container(PodSandbox, Container) -> ();
    PostStartContainer post_start_container(PodSandbox, Container) -> ();
    UpdateContainer update_container(PodSandbox, Container, LinuxResources) -> Updates;
    PostUpdateContainer post_update_container(PodSandbox, Container) -> ();
    StopContainer stop_container(PodSandbox, Container) -> Updates;
    RemoveContainer remove_container(PodSandbox, Container) -> ();
}

impl ValidateContainerAdjustment for Observer {
    async fn validate_container_adjustment(
        &self,
        _: &EventContext,
        _: ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        Ok(Verdict::Accept)
    }
}
