//! The release that added each element, and how each event was sent before, from a comparison of
//! the revisions.

use super::{Deprecation, History, Interface, Release, Revision};
use crate::error::Error;
use crate::model::{Carrier, Event, Protocol};

/// The way an event is sent, up to one revision. Releases are given by name; untagged ones only if
/// no tagged release has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventHistory {
    /// The release that added the event.
    pub since: Option<String>,
    /// The release that added its dedicated RPC, if it has one.
    pub rpc_since: Option<String>,
    /// The first release that sent it as `StateChange`, if any.
    pub state_change_since: Option<String>,
    /// The release that stopped doing so: since then runtimes fall back to `StateChange` if a
    /// plugin lacks the RPC.
    pub state_change_until: Option<String>,
}

impl History {
    /// Returns the release that added the element with this full name, as of `revision`: the first
    /// tagged one from which every revision up to `revision` has it. An untagged one counts only if
    /// no tagged one has it.
    ///
    /// Returns `None` if `revision` lacks it. Reads only the revisions since then, and the one
    /// before.
    ///
    /// # Errors
    ///
    /// Returns an error if a proto does not compile.
    pub fn since(&self, revision: &str, full_name: &str) -> Result<Option<&Release>, Error> {
        self.since_when(revision, |protocol| protocol.has(full_name))
    }

    /// Returns how `event` was sent, up to `revision`.
    ///
    /// # Errors
    ///
    /// Returns an error if a proto does not compile.
    pub fn event(&self, revision: &str, event: &Event) -> Result<EventHistory, Error> {
        let named = |release: Option<&Release>| release.map(|release| release.name.clone());
        let carried_by = |carrier| {
            move |protocol: &Protocol| {
                let known = protocol.nri.as_ref().and_then(|nri| nri.event(&event.name));
                known.is_some_and(|known| known.carrier == carrier)
            }
        };
        let dedicated = self.since_when(revision, carried_by(Carrier::Dedicated))?;
        // Before its dedicated RPC was added: as of the previous revision.
        let before = match dedicated {
            Some(release) => self.before(&release.revision).map(Revision::name),
            None => Some(revision),
        };
        let state_change = match before {
            Some(before) => self.since_when(before, carried_by(Carrier::StateChange))?,
            None => None,
        };
        Ok(EventHistory {
            since: named(self.since(revision, &event.full_name)?),
            rpc_since: named(dedicated),
            state_change_until: state_change.and(named(dedicated)),
            state_change_since: named(state_change),
        })
    }

    /// Returns the deprecations of RPCs and messages in effect in `revision`, that is, since the
    /// release that deprecated them.
    ///
    /// # Errors
    ///
    /// Returns an error if the proto does not compile.
    pub fn deprecated_in(&self, revision: &str) -> Result<Vec<&Deprecation>, Error> {
        let Some((index, found)) = self.position(revision) else {
            return Ok(Vec::new());
        };
        let protocol = found.protocol()?;
        let holds = |deprecation: &&Deprecation| {
            let Interface::Rpc { rpc, .. } = &deprecation.interface else {
                return false;
            };
            let since = deprecation
                .deprecated_in
                .nri
                .as_deref()
                .and_then(|nri| self.releases().iter().find(|r| r.name == nri))
                .and_then(|release| self.position(&release.revision));
            protocol.has(rpc) && since.is_some_and(|(since, _)| since <= index)
        };
        Ok(self.deprecations.iter().filter(holds).collect())
    }

    /// Returns the revision before the one of this name.
    pub fn before(&self, revision: &str) -> Option<&Revision> {
        let (index, _) = self.position(revision)?;
        self.revisions.get(index.checked_sub(1)?)
    }

    fn position(&self, revision: &str) -> Option<(usize, &Revision)> {
        self.revisions.iter().enumerate().find(|(_, known)| known.name() == revision)
    }

    fn since_when(
        &self,
        revision: &str,
        holds: impl Fn(&Protocol) -> bool,
    ) -> Result<Option<&Release>, Error> {
        let Some((index, _)) = self.position(revision) else {
            return Ok(None);
        };
        let mut since = None;
        for earlier in self.revisions.iter().take(index + 1).rev() {
            if !holds(earlier.protocol()?) {
                break;
            }
            let first = self.releases_of(earlier).next();
            if since.is_none() || first.is_some_and(|release| !release.untagged) {
                since = first;
            }
        }
        Ok(since)
    }
}
