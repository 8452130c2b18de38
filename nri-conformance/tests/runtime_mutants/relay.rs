//! The part of a runtime that relays events to plugins, on manually controlled connections.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use nri::api::{Container, Event, PodSandbox, SynchronizeRequest};
use nri_adaptation::{Adaptation, Revision, SyncGuard};
use nri_conformance::session::{Session, Timeouts, request};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{RwLock, RwLockReadGuard};

use crate::{Fault, adapted};

/// The time limit of plugins.
const REQUEST: Duration = Duration::from_secs(2);

/// The state that is sent to plugins in Synchronize.
pub(crate) type State = (Vec<PodSandbox>, Vec<Container>);

/// A plugin that takes part in requests.
struct Member {
    index: String,
    session: Session,
}

/// The plugins.
pub(crate) struct Relay {
    fault: Fault,
    members: Mutex<Vec<Arc<Member>>>,
    /// Held for reading by requests, and for writing while a plugin synchronizes.
    sync: RwLock<()>,
    /// Used in place of the members if it is set.
    adaptation: OnceLock<Adaptation>,
}

/// Keeps plugins from synchronizing.
pub(crate) struct Hold<'a> {
    _members: RwLockReadGuard<'a, ()>,
    _adaptation: Option<SyncGuard>,
}

impl Relay {
    pub(crate) fn new(fault: Fault) -> Relay {
        Relay {
            fault,
            members: Mutex::default(),
            sync: RwLock::new(()),
            adaptation: OnceLock::new(),
        }
    }

    /// Leaves all events to an adaptation.
    pub(crate) fn leave_to(&self, adaptation: Adaptation) {
        assert!(self.adaptation.set(adaptation).is_ok(), "set once");
    }

    /// Keeps plugins from synchronizing until the result is dropped.
    pub(crate) async fn hold(&self) -> Hold<'_> {
        Hold {
            _members: self.sync.read().await,
            _adaptation: match self.adaptation.get() {
                Some(adaptation) => Some(adaptation.sync_guard().await),
                None => None,
            },
        }
    }

    /// Returns the number of plugins that take part.
    pub(crate) fn count(&self) -> usize {
        match self.adaptation.get() {
            Some(adaptation) => adaptation.plugins().len(),
            None => self.members.lock().expect("no panic").len(),
        }
    }

    /// Accepts plugins until the task is aborted.
    pub(crate) fn listen(
        self: &Arc<Self>,
        socket: &Path,
        state: impl Fn() -> State + Send + Sync + Clone + 'static,
    ) -> tokio::task::JoinHandle<()> {
        let listener = UnixListener::bind(socket).expect("a socket");
        let relay = Arc::clone(self);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (relay, state) = (Arc::clone(&relay), state.clone());
                tokio::spawn(async move { relay.join(stream, state).await });
            }
        })
    }

    /// Registers, configures and synchronizes a plugin.
    async fn join(&self, stream: UnixStream, state: impl Fn() -> State) -> Option<()> {
        let timeouts = Timeouts::default().request(REQUEST);
        let session = Session::new(stream, Revision::newest(), timeouts);
        let index = session.registration().await?.plugin_idx;
        let configuration = session.configuration("");
        session.configure(&configuration).await.ok()?;
        if self.fault == Fault::ConfiguresTwice {
            session.configure(&configuration).await.ok()?;
        }
        let loses = self.fault == Fault::LosesWhileSynchronizing && index.starts_with(['6', '7']);
        let guard = if loses { None } else { Some(self.sync.write().await) };
        let (pods, containers) =
            if self.fault == Fault::SynchronizesNothing { State::default() } else { state() };
        let everything = SynchronizeRequest { pods, containers, more: false };
        session.synchronize(&everything, REQUEST).await.ok()?;
        if self.fault == Fault::SynchronizesTwice {
            session.synchronize(&everything, REQUEST).await.ok()?;
        }
        if loses {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        let mut members = self.members.lock().expect("no panic");
        members.push(Arc::new(Member { index, session }));
        members.sort_by(|one, other| one.index.cmp(&other.index));
        drop(guard);
        Some(())
    }

    /// Sends an event to the plugins, one after the other, and returns the first error.
    pub(crate) async fn send(
        &self,
        event: Event,
        pod: &PodSandbox,
        container: &Container,
    ) -> Result<(), String> {
        if let Some(adaptation) = self.adaptation.get() {
            return adapted::send(adaptation, event, pod, container).await;
        }
        let mut members = self.members.lock().expect("no panic").clone();
        if self.fault == Fault::CallsInReverse {
            members.reverse();
        }
        let teardown = matches!(
            event,
            Event::StopPodSandbox
                | Event::RemovePodSandbox
                | Event::StopContainer
                | Event::RemoveContainer
        );
        let encoded = request(event, pod, container);
        let mut first = Ok(());
        for member in members {
            let error = self.call(&member, event, &encoded).await;
            if first.is_ok() {
                first = error;
            }
            if first.is_err() && (!teardown || self.fault == Fault::EndsTheChain) {
                break;
            }
        }
        first
    }

    /// Calls a plugin. A plugin that does not answer in time is disconnected, which is not an
    /// error.
    async fn call(&self, member: &Arc<Member>, event: Event, encoded: &[u8]) -> Result<(), String> {
        let patient = self.fault == Fault::WaitsForever;
        let limit = if patient { REQUEST * 10 } else { REQUEST };
        let session = &member.session;
        let (method, payload) = session
            .revision()
            .request(event, nri_adaptation::Via::Dedicated, encoded)
            .expect("a dedicated RPC");
        match session.call_within(method, payload, limit).await {
            Ok(_) => Ok(()),
            Err(nri::wire::CallError::Status(status)) => Err(status.message.to_string()),
            Err(_) => {
                let mut members = self.members.lock().expect("no panic");
                members.retain(|other| !Arc::ptr_eq(other, member));
                Ok(())
            }
        }
    }
}
