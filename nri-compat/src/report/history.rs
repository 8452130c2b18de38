//! The results of `versions` and `runtimes`: the history of releases as plain data.

use serde::Serialize;

/// Every release of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VersionsReport {
    /// The date of the newest release in the tables, `YYYY-MM-DD`.
    pub data_date: String,
    /// One row per release, oldest first.
    #[serde(rename = "versions")]
    pub rows: Vec<VersionRow>,
}

/// One release of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VersionRow {
    /// The release, such as `v0.12.1`.
    pub release: String,
    /// The protocol revision, such as `v0.12.0`.
    pub revision: String,
    /// The release date, `YYYY-MM-DD`.
    pub date: String,
    /// The number of RPCs in all its services.
    pub rpcs: usize,
    /// The number of events that a plugin can subscribe to.
    pub events: usize,
    /// Ranges of runtime releases that link exactly this release.
    pub runtimes: Vec<String>,
}

/// The NRI that the runtimes link, as ranges of releases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RuntimesReport {
    /// The date of the newest release in the tables, `YYYY-MM-DD`.
    pub data_date: String,
    /// One row per range, by runtime and then oldest first.
    #[serde(rename = "runtimes")]
    pub rows: Vec<RuntimeRange>,
}

/// Adjacent releases of a runtime that link the same NRI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuntimeRange {
    /// The name, `containerd` or `cri-o`.
    pub runtime: String,
    /// The first release of the range.
    pub first: String,
    /// The last known release of the range.
    pub last: String,
    /// The date of the first release.
    pub first_date: String,
    /// The date of the last release.
    pub last_date: String,
    /// The NRI release linked.
    pub nri: String,
    /// The protocol revision; `None` for one-shot plugins, which have no proto.
    pub revision: Option<String>,
    /// The event mask that the runtime accepts, if there is a proto.
    #[serde(rename = "event_mask")]
    pub mask: Option<u32>,
}

/// One release of a runtime in detail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuntimeReport {
    /// The date of the newest release in the tables, `YYYY-MM-DD`.
    pub data_date: String,
    /// The name, `containerd` or `cri-o`.
    pub runtime: String,
    /// The release, such as `2.2.1`.
    pub release: String,
    /// The release date.
    pub date: String,
    /// The NRI release that it links.
    pub nri: String,
    /// The protocol revision; `None` for one-shot plugins, which have no proto.
    pub revision: Option<String>,
    /// The event mask it accepts: bit (number - 1) for each event.
    #[serde(rename = "event_mask")]
    pub mask: Option<u32>,
    /// The events it sends.
    pub events: Vec<EventRow>,
    /// The interfaces that it deprecates or warns about.
    pub deprecations: Vec<RuntimeDeprecation>,
    /// The newest protocol release, with which `lost_fields` was determined.
    pub newest: String,
    /// The fields that a plugin of the newest protocol may send and this runtime ignores.
    pub lost_fields: Vec<LostField>,
}

/// One event that a runtime sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventRow {
    /// Its number; the bit in the mask is one less.
    pub number: i32,
    /// The enum value, such as `RUN_POD_SANDBOX`.
    pub name: String,
    /// The RPC that carries it.
    #[serde(rename = "sent_as")]
    pub rpc: String,
}

/// A deprecated interface, from the view of one runtime release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuntimeDeprecation {
    /// Permanent id in the table of deprecations.
    pub id: String,
    /// A summary in one line.
    pub summary: String,
    /// True if this release warns the operator.
    pub warns: bool,
    /// The removal: `planned for containerd 2.7`.
    pub removal: String,
    /// The next step for the author of a plugin.
    pub remedy: String,
}

/// A field that a runtime does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostField {
    /// Fully qualified name.
    pub element: String,
    /// The protocol revision that added it.
    pub since: String,
}
