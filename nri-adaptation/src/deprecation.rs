//! Records of deprecated interfaces that plugins use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use nri::__private::rpc::STATE_CHANGE;
use nri::api::Event;

use nri::PluginId;

/// Records kept at once. A peer chooses its own name, so there is no natural bound.
const MAX_RECORDS: usize = 4096;

/// The use of a deprecated interface: one record per plugin, interface and event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deprecated {
    /// The plugin that uses the interface.
    pub plugin: PluginId,
    /// The deprecated interface, such as `StateChange`.
    pub interface: &'static str,
    /// The event that was sent through it.
    pub event: Event,
    /// The RPC that replaces the interface for this event, such as `RunPodSandbox`.
    pub instead: &'static str,
    /// The NRI release that the plugin was built with, if it says so (since NRI v0.12.0).
    pub nri_version: Option<String>,
    /// The release in which the interface is planned to be removed, such as `containerd 2.7`.
    pub planned_removal: &'static str,
    /// True if the reference runtime fails the event instead of falling back to the interface,
    /// because the plugin does not answer UNIMPLEMENTED.
    pub breaks_on_reference: bool,
    /// The time of the first use.
    pub first_occurrence: SystemTime,
    /// The time of the last use.
    pub last_occurrence: SystemTime,
    /// The number of times the interface was used.
    pub count: u64,
}

/// Receives records of deprecated interfaces that plugins use.
pub trait Deprecations: Send + Sync + 'static {
    /// Receives the updated record each time that a plugin uses an interface for an event. Its
    /// count is 1 the first time.
    fn used(&self, record: &Deprecated);
}

/// Logs each record once through [`tracing`], as a warning.
///
/// The wording is that of the
/// [reference](https://github.com/containerd/nri/blob/v0.12.5/pkg/adaptation/plugin.go) without a
/// recorder, which `nri-compat logs` finds. An adaptation uses it by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogDeprecations;

impl Deprecations for LogDeprecations {
    fn used(&self, record: &Deprecated) {
        let Deprecated { plugin, instead, .. } = record;
        if record.count > 1 {
            return;
        }
        tracing::warn!(
            "plugin {plugin} uses deprecated StateChange instead of a dedicated {instead} RPC call"
        );
        if record.breaks_on_reference {
            tracing::warn!(
                "plugin {plugin} does not answer {instead} with UNIMPLEMENTED: the event breaks on the reference runtime"
            );
        }
    }
}

/// Keeps every record. Clones share the list.
#[derive(Clone, Debug, Default)]
pub struct DeprecationList(Arc<Mutex<Records>>);

/// The records of StateChange, the only deprecated interface of a runtime.
type Records = HashMap<(PluginId, Event), Deprecated>;

impl DeprecationList {
    /// Returns the records, by plugin and event.
    pub fn records(&self) -> Vec<Deprecated> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut records: Vec<_> = kept.values().cloned().collect();
        records.sort_by(|a, b| (&a.plugin, a.event).cmp(&(&b.plugin, b.event)));
        records
    }
}

impl Deprecations for DeprecationList {
    fn used(&self, record: &Deprecated) {
        let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        insert(&mut records, record.clone());
    }
}

/// Counts uses of deprecated interfaces, across reconnects of a plugin.
#[derive(Default)]
pub(super) struct Ledger {
    pub(super) receivers: Vec<Box<dyn Deprecations>>,
    records: Mutex<Records>,
}

impl Ledger {
    /// Notes that an event went through StateChange instead of `instead`.
    pub(super) fn state_change(
        &self,
        plugin: &PluginId,
        nri_version: &str,
        event: Event,
        instead: &'static str,
        breaks_on_reference: bool,
    ) {
        let now = SystemTime::now();
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(record) = records.get_mut(&(plugin.clone(), event)) {
            record.count += 1;
            record.last_occurrence = now;
            self.receivers.iter().for_each(|to| to.used(record));
            return;
        }
        let removal = STATE_CHANGE.deprecated.as_ref();
        let record = Deprecated {
            plugin: plugin.clone(),
            interface: STATE_CHANGE.name,
            event,
            instead,
            nri_version: (!nri_version.is_empty()).then(|| nri_version.to_owned()),
            planned_removal: removal.map_or("", |deprecation| deprecation.removal),
            breaks_on_reference,
            first_occurrence: now,
            last_occurrence: now,
            count: 1,
        };
        self.receivers.iter().for_each(|to| to.used(&record));
        insert(&mut records, record);
    }
}

/// Inserts a record. Drops the least recently updated one if there are too many.
fn insert(records: &mut Records, record: Deprecated) {
    let key = (record.plugin.clone(), record.event);
    if records.len() >= MAX_RECORDS && !records.contains_key(&key) {
        let oldest = records
            .iter()
            .min_by_key(|(_, it)| it.last_occurrence)
            .map(|(oldest, _)| oldest.clone());
        if let Some(oldest) = oldest {
            records.remove(&oldest);
        }
    }
    records.insert(key, record);
}
