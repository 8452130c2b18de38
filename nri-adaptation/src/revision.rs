//! The NRI release that the adaptation behaves as: the events it knows and the RPCs it uses.

use bytes::Bytes;

use nri::__private::rpc::STATE_CHANGE;
use nri::__private::{PROTOCOL, RPCS, fields, is_outdated, numbers, put_bytes, rows, to_change};
use nri::api::{Event, EventMask};
use nri::codec::DecodeError;
use nri::plugin::Rpc;
use nri::{Error, ErrorKind, Result};
use nri::{InvalidPluginId, PluginId};

/// The number of the value in a map entry.
const MAP_VALUE: u32 = 2;

/// A released protocol, with what follows from its version.
///
/// ```
/// use nri_adaptation::{Revision, Via};
/// use nri::api::Event;
///
/// let old = Revision::of("v0.11.0")?;
/// assert_eq!(old.carrier(Event::RunPodSandbox), Some(Via::StateChange));
/// assert_eq!(Revision::newest().carrier(Event::RunPodSandbox), Some(Via::Dedicated));
/// # Ok::<(), nri::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    release: String,
    numbers: [u32; 3],
    /// The events that it sends in an RPC of their own.
    dedicated: EventMask,
    /// The events that it sends as StateChange.
    changes: EventMask,
    /// True if messages have fields that it lacks.
    lacks_fields: bool,
    /// True if a plugin that lacks the RPC of an event gets it as StateChange.
    falls_back: bool,
}

/// The RPC that brought an event to a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// The RPC of the event itself, such as `RunPodSandbox`.
    Dedicated,
    /// `StateChange`, deprecated since NRI v0.12.0.
    StateChange,
}

impl Via {
    /// Returns the name of the RPC that brings the event of `rpc`.
    pub(super) fn method(self, rpc: &Rpc) -> &'static str {
        match self {
            Via::Dedicated => rpc.name,
            Via::StateChange => STATE_CHANGE.name,
        }
    }
}

impl Revision {
    /// Returns the newest release that this crate knows.
    pub fn newest() -> Self {
        Self::new(PROTOCOL.to_owned(), numbers(PROTOCOL).unwrap_or_default())
    }

    /// Returns a release by its version, with or without the leading `v`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] if it is not a version from v0.2.0 up to the newest one known.
    pub fn of(release: &str) -> Result<Self> {
        let known = |of: &[u32; 3]| *of >= [0, 2, 0] && *of <= Self::newest().numbers;
        match numbers(release).filter(known) {
            Some(numbers) => {
                let release = format!("v{}", release.trim_start_matches('v'));
                Ok(Self::new(release, numbers))
            }
            None => {
                let message = format!("cannot speak NRI {release:?}");
                let help = format!("give a release from v0.2.0 to {PROTOCOL}");
                Err(Error::with_kind(ErrorKind::Config, message).with_help(help))
            }
        }
    }

    /// Looks up what follows from the version, which every request needs.
    fn new(release: String, numbers: [u32; 3]) -> Self {
        let lacks_fields = is_outdated(&release);
        let mut revision = Revision {
            release,
            numbers,
            dedicated: EventMask::EMPTY,
            changes: EventMask::EMPTY,
            lacks_fields,
            falls_back: true,
        };
        for (rpc, event) in RPCS.iter().filter_map(|rpc| Some((rpc, rpc.event?))) {
            if revision.has(rpc) {
                revision.dedicated = revision.dedicated.with(event);
            } else if revision.knows_event(rpc) {
                revision.changes = revision.changes.with(event);
            }
        }
        revision
    }

    /// Returns the version, such as `v0.12.5`.
    pub fn release(&self) -> &str {
        &self.release
    }

    /// Returns true if this is the given release or a later one.
    pub fn is_at_least(&self, release: &str) -> bool {
        numbers(release).is_some_and(|release| self.numbers >= release)
    }

    /// Checks the index and the name of a plugin as a runtime of this release does.
    ///
    /// # Errors
    ///
    /// Returns the rule that the index or the name breaks.
    pub fn plugin_id(&self, index: &str, name: &str) -> Result<PluginId, InvalidPluginId> {
        if self.is_at_least("v0.12.0") {
            PluginId::new(index, name)
        } else {
            PluginId::lenient(index, name)
        }
    }

    /// Returns true if the release has the RPC of plugins with this name, such as `RunPodSandbox`.
    pub fn has_rpc(&self, name: &str) -> bool {
        RPCS.iter().any(|rpc| rpc.name == name && self.has(rpc))
    }

    /// Returns true if the release has an RPC.
    pub(super) fn has(&self, rpc: &Rpc) -> bool {
        // `since` is a tagged release. An event that StateChange never carried came with its RPC,
        // in an untagged one even.
        let came_with_event = rpc.change_fields.is_none() && self.knows_event(rpc);
        self.is_at_least(rpc.since) || came_with_event
    }

    /// Returns true if the release has the event of an RPC.
    fn knows_event(&self, rpc: &Rpc) -> bool {
        rpc.event_since.is_some_and(|since| self.is_at_least(since))
    }

    /// Returns the RPCs of the newest release, those without an event included.
    #[doc(hidden)]
    pub fn rpcs() -> &'static [&'static Rpc] {
        RPCS
    }

    /// Returns the name of the RPC that carries an event, and the request as this revision sends
    /// it. `request` is the encoded request of the dedicated RPC.
    ///
    /// Returns `None` if the event never travels that way, or is younger than this revision.
    pub fn request(&self, event: Event, via: Via, request: &[u8]) -> Option<(&'static str, Bytes)> {
        let rpc = rpc_of(event).filter(|_| self.events().contains(event))?;
        let encoded = self.encoded(rpc, via, &Bytes::copy_from_slice(request))?;
        Some((via.method(rpc), encoded))
    }

    /// Returns the request of an event as this revision sends it, or `None` if the event never
    /// travels that way. `request` is the encoded request of the dedicated RPC.
    pub(super) fn encoded(&self, rpc: &Rpc, via: Via, request: &Bytes) -> Option<Bytes> {
        let encoded = match via {
            Via::Dedicated => request.clone(),
            Via::StateChange => to_change(request, rpc.event?, rpc.change_fields?).ok()?.into(),
        };
        if !self.lacks_fields {
            return Some(encoded);
        }
        let message = match via {
            Via::Dedicated => format!("{}Request", rpc.name),
            Via::StateChange => "StateChangeEvent".to_owned(),
        };
        Some(self.without_newer(&message, &encoded))
    }

    /// Returns an encoded message, such as `ConfigureRequest`, without the fields that are younger
    /// than this revision.
    ///
    /// Returns the message unchanged if the bytes cannot be read.
    pub fn without_newer(&self, message: &str, encoded: &[u8]) -> Bytes {
        let stripped = strip(message, encoded, self.numbers);
        stripped.unwrap_or_else(|_| encoded.to_vec()).into()
    }

    /// Returns the RPC that carries an event, or `None` if this revision does not send it.
    pub fn carrier(&self, event: Event) -> Option<Via> {
        if self.dedicated.contains(event) {
            return Some(Via::Dedicated);
        }
        self.changes.contains(event).then_some(Via::StateChange)
    }

    /// Returns true if a plugin that lacks the RPC of an event gets it as StateChange.
    pub(super) fn falls_back(&self) -> bool {
        self.falls_back
    }

    /// Returns the revision without the fallback to StateChange.
    pub(super) fn without_fallback(mut self) -> Self {
        self.falls_back = false;
        self
    }

    /// Returns true if messages have fields that are younger than this revision.
    pub(super) fn lacks_fields(&self) -> bool {
        self.lacks_fields
    }

    /// Returns the events that a plugin may subscribe to.
    pub fn events(&self) -> EventMask {
        let known = RPCS.iter().filter(|rpc| self.knows_event(rpc));
        known.filter_map(|rpc| rpc.event).fold(EventMask::EMPTY, EventMask::with)
    }

    /// Returns true if a Synchronize that does not fit into one message is split.
    pub fn splits_synchronize(&self) -> bool {
        self.is_at_least("v0.7.0")
    }
}

/// Returns the RPC that is dedicated to an event.
pub(super) fn rpc_of(event: Event) -> Option<&'static Rpc> {
    RPCS.iter().copied().find(|rpc| rpc.event == Some(event))
}

/// Removes the fields of an encoded message that are newer than a release.
fn strip(message: &str, encoded: &[u8], release: [u32; 3]) -> Result<Vec<u8>, DecodeError> {
    let rows = rows(message);
    if rows.is_empty() {
        return Ok(encoded.to_vec());
    }
    let mut kept = Vec::with_capacity(encoded.len());
    for field in fields(encoded) {
        let field = field?;
        let row = rows.iter().find(|row| row.number == field.number);
        if row.is_some_and(|row| numbers(row.since) > Some(release)) {
            continue;
        }
        match row.and_then(|row| Some((row.of?, field.bytes()?, row.is_map))) {
            Some((of, entry, true)) => {
                put_bytes(field.number, &strip_entry(of, entry, release)?, &mut kept);
            }
            Some((of, inner, false)) => {
                put_bytes(field.number, &strip(of, inner, release)?, &mut kept);
            }
            None => kept.extend_from_slice(field.encoded),
        }
    }
    Ok(kept)
}

/// Strips the value of a map entry.
fn strip_entry(of: &str, entry: &[u8], release: [u32; 3]) -> Result<Vec<u8>, DecodeError> {
    let mut kept = Vec::with_capacity(entry.len());
    for field in fields(entry) {
        let field = field?;
        match field.bytes() {
            Some(value) if field.number == MAP_VALUE => {
                put_bytes(field.number, &strip(of, value, release)?, &mut kept);
            }
            _ => kept.extend_from_slice(field.encoded),
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use nri::__private::newer_than;
    use nri::api::{ContainerAdjustment, KeyValue, LinuxContainerAdjustment, LinuxNetDevice};
    use nri::codec::Message as _;

    #[test]
    fn each_release_uses_its_rpcs() {
        let via = |release: &str, event| Revision::of(release).unwrap().carrier(event);
        let (change, dedicated) = (Some(Via::StateChange), Some(Via::Dedicated));
        assert_eq!(via("v0.8.0", Event::RunPodSandbox), change);
        assert_eq!(via("v0.12.0", Event::RunPodSandbox), dedicated);
        assert_eq!(via("v0.2.0", Event::CreateContainer), dedicated);
        assert_eq!(via("v0.9.0", Event::PostUpdatePodSandbox), None);
        assert_eq!(via("v0.11.0", Event::PostUpdatePodSandbox), change);
        assert_eq!(via("v0.9.0", Event::ValidateContainerAdjustment), None);
        let untagged = "v0.9.1-0.20250219030224-e597e7849f24";
        assert_eq!(via(untagged, Event::UpdatePodSandbox), dedicated);
        assert_eq!(via(untagged, Event::PostUpdatePodSandbox), change);
    }

    #[test]
    fn other_releases_are_refused() {
        for release in ["", "v0.1.0", "v99.0.0", "devel", "v0.12"] {
            let error = Revision::of(release).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{release}");
        }
    }

    #[test]
    fn younger_fields_go_and_the_others_stay() {
        let env = KeyValue { key: "a".to_owned(), value: "b".to_owned() };
        let linux = LinuxContainerAdjustment {
            net_devices: [("eth0".to_owned(), LinuxNetDevice::default())].into(),
            cgroups_path: "/a".to_owned(),
            ..LinuxContainerAdjustment::default()
        };
        let whole = ContainerAdjustment {
            env: vec![env.clone()],
            linux: Some(linux),
            args: vec!["x".to_owned()],
            ..ContainerAdjustment::default()
        };
        let encoded = whole.encode_to_vec();
        let oldest = Revision::of("v0.2.0").unwrap();
        let stripped = oldest.without_newer("ContainerAdjustment", &encoded);
        assert!(newer_than("ContainerAdjustment", &stripped, "v0.2.0").is_empty());
        let kept = ContainerAdjustment::decode(&*stripped).unwrap();
        assert_eq!((kept.env, kept.args.len()), (vec![env], 0));
        let kept_linux = kept.linux.unwrap();
        assert_eq!((&*kept_linux.cgroups_path, kept_linux.net_devices.len()), ("/a", 0));
        let newest = Revision::newest().without_newer("ContainerAdjustment", &encoded);
        assert_eq!(newest, encoded);
    }

    proptest! {
        #[test]
        fn any_bytes_are_stripped_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let stripped = Revision::of("v0.2.0").unwrap().without_newer("CreateContainerResponse", &bytes);
            prop_assert!(stripped.len() <= bytes.len());
        }
    }
}
