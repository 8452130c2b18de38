//! When something came, and how each event travelled before: the revisions compared, backwards from one of them.

use super::{Deprecation, History, Interface, Release, Revision};
use crate::error::Error;
use crate::model::{Carrier, Event, Protocol};

/// How an event travels, up to one revision. Releases, by name; an untagged one only where no tag has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventHistory {
    /// The release that brought the event.
    pub since: Option<String>,
    /// The release that brought its dedicated RPC, if it has one.
    pub rpc_since: Option<String>,
    /// The first release that sent it by `StateChange`, if any did.
    pub state_change_since: Option<String>,
    /// The release that stopped to: runtimes from then on fall back to `StateChange` if a plugin lacks the RPC.
    pub state_change_until: Option<String>,
}

impl History {
    /// Returns the release that brought the element of this full name, seen from `revision`: the
    /// first tagged one from which every revision up to `revision` has it. An untagged one counts
    /// only where no tagged one has it.
    ///
    /// `None` if `revision` lacks it. Reads only the revisions since, and the one before.
    ///
    /// # Errors
    ///
    /// If a proto does not compile.
    pub fn since(&self, revision: &str, full_name: &str) -> Result<Option<&Release>, Error> {
        self.since_when(revision, |protocol| protocol.has(full_name))
    }

    /// Returns how `event` travelled, up to `revision`.
    ///
    /// # Errors
    ///
    /// If a proto does not compile.
    pub fn event(&self, revision: &str, event: &Event) -> Result<EventHistory, Error> {
        let named = |release: Option<&Release>| release.map(|release| release.name.clone());
        let carried_by = |carrier| {
            move |protocol: &Protocol| {
                let known = protocol.nri.as_ref().and_then(|nri| nri.event(&event.name));
                known.is_some_and(|known| known.carrier == carrier)
            }
        };
        let dedicated = self.since_when(revision, carried_by(Carrier::Dedicated))?;
        // Before its own RPC came: seen from the revision just before that one.
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

    /// Deprecations of RPCs and messages that hold in `revision`, that is from the release that deprecated them on.
    ///
    /// # Errors
    ///
    /// If the proto does not compile.
    pub fn deprecated_in(&self, revision: &str) -> Result<Vec<&Deprecation>, Error> {
        let Some((index, found)) = self.position(revision) else {
            return Ok(Vec::new());
        };
        let protocol = found.protocol()?;
        let holds = |deprecation: &&Deprecation| {
            let Interface::Rpc { rpc, .. } = &deprecation.interface else {
                return false;
            };
            let since = deprecation.deprecated_in.nri.as_deref();
            let since = since.and_then(|nri| self.releases.iter().find(|r| r.name == nri));
            let since = since.and_then(|release| self.position(&release.revision));
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
        let mut revisions = self.revisions.iter().enumerate();
        revisions.find(|(_, known)| known.name() == revision)
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
        for revision in self.revisions.iter().take(index + 1).rev() {
            if !holds(revision.protocol()?) {
                break;
            }
            let first = self.releases_of(revision).next();
            if since.is_none() || first.is_some_and(|release| !release.untagged) {
                since = first;
            }
        }
        Ok(since)
    }
}
