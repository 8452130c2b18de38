//! The plugins that take part, in the order of their indexes.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::member::Member;

/// The plugins, and the relays that are iterating over them.
#[derive(Debug)]
pub(super) struct Roster(Mutex<Current>);

#[derive(Debug)]
struct Current {
    members: Arc<[Arc<Member>]>,
    epoch: Epoch,
    done: mpsc::Receiver<Infallible>,
}

/// Held by every relay that began since the last plugin joined. A channel's sender, as its receiver
/// learns when all of them are dropped.
type Epoch = mpsc::Sender<Infallible>;

/// The plugins as they were when a relay began.
#[derive(Debug)]
pub(super) struct Members {
    members: Arc<[Arc<Member>]>,
    _epoch: Epoch,
}

impl Members {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Member>> {
        self.members.iter()
    }
}

/// The relays that began before a plugin joined.
#[derive(Debug)]
pub(super) struct Earlier(mpsc::Receiver<Infallible>);

impl Earlier {
    /// Waits until all of them are done. Returns false if they take longer than `limit`.
    pub(super) async fn done(mut self, limit: Duration) -> bool {
        timeout(limit, self.0.recv()).await.is_ok()
    }
}

impl Default for Roster {
    fn default() -> Self {
        let (epoch, done) = mpsc::channel(1);
        Roster(Mutex::new(Current { members: Arc::default(), epoch, done }))
    }
}

impl Roster {
    /// Returns the plugins of this moment.
    pub(super) fn members(&self) -> Members {
        let current = self.current();
        Members { members: Arc::clone(&current.members), _epoch: current.epoch.clone() }
    }

    /// Adds a plugin after those of the same index. Returns the relays that do not see it.
    pub(super) fn add(&self, member: &Arc<Member>) -> Earlier {
        let mut current = self.current();
        let mut members = current.members.to_vec();
        let at = members.partition_point(|other| other.id.index <= member.id.index);
        members.insert(at, Arc::clone(member));
        current.members = members.into();
        let (epoch, done) = mpsc::channel(1);
        current.epoch = epoch;
        Earlier(std::mem::replace(&mut current.done, done))
    }

    /// Removes a plugin. Returns true if it was there.
    pub(super) fn remove(&self, member: &Member) -> bool {
        let mut current = self.current();
        let others = current.members.iter().filter(|other| !other.is(member));
        let members: Arc<[_]> = others.cloned().collect();
        let found = members.len() < current.members.len();
        current.members = members;
        found
    }

    /// Returns the number of plugins that are synchronized.
    pub(super) fn ready(&self) -> usize {
        let current = self.current();
        current.members.iter().filter(|member| member.is_ready()).count()
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
