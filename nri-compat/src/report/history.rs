//! The answers of `versions` and `runtimes`: the history of releases as plain values.

/// Every release of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionsReport {
    /// The date of the newest release in the tables, `YYYY-MM-DD`.
    pub data_date: String,
    /// One row a release, oldest first.
    pub rows: Vec<VersionRow>,
}

/// One release of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRow {
    /// The release, such as `v0.12.1`.
    pub release: String,
    /// The protocol revision it carries, such as `v0.12.0`.
    pub revision: String,
    /// When it came out, `YYYY-MM-DD`.
    pub date: String,
    /// How many RPCs its services have in all.
    pub rpcs: usize,
    /// How many events a plugin can subscribe to.
    pub events: usize,
    /// Ranges of runtime releases that link exactly this release.
    pub runtimes: Vec<String>,
}

/// Which NRI the runtimes link, as ranges of releases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimesReport {
    /// The date of the newest release in the tables, `YYYY-MM-DD`.
    pub data_date: String,
    /// One row a range, by runtime and then oldest first.
    pub rows: Vec<RuntimeRange>,
}

/// Neighbouring releases of a runtime that link the same NRI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeRange {
    /// `containerd` or `cri-o`.
    pub runtime: String,
    /// First release of the range.
    pub first: String,
    /// Last known release of the range.
    pub last: String,
    /// When the first came out.
    pub first_date: String,
    /// When the last came out.
    pub last_date: String,
    /// The NRI release linked.
    pub nri: String,
    /// Its protocol revision; `None` for the one-shot generation, which has no proto.
    pub revision: Option<String>,
    /// The event mask the runtime accepts, where there is a proto.
    pub mask: Option<u32>,
}

/// One release of a runtime in detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeReport {
    /// The date of the newest release in the tables, `YYYY-MM-DD`.
    pub data_date: String,
    /// `containerd` or `cri-o`.
    pub runtime: String,
    /// The release, such as `2.2.1`.
    pub release: String,
    /// When it came out.
    pub date: String,
    /// The NRI release it links.
    pub nri: String,
    /// Its protocol revision; `None` for the one-shot generation, which has no proto.
    pub revision: Option<String>,
    /// The event mask it accepts: bit (number - 1) for each event.
    pub mask: Option<u32>,
    /// The events it sends.
    pub events: Vec<EventRow>,
    /// The interfaces that it deprecates or warns of.
    pub deprecations: Vec<RuntimeDeprecation>,
    /// The fields that a plugin of the newest protocol may send and this runtime skips.
    pub lost_fields: Vec<LostField>,
    /// The newest protocol release, against which `lost_fields` was drawn up.
    pub newest: String,
}

/// One event that a runtime sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// The enum value, such as `RUN_POD_SANDBOX`.
    pub name: String,
    /// Its number; the bit in the mask is one less.
    pub number: i32,
    /// The RPC that carries it.
    pub rpc: String,
}

/// A deprecated interface, as seen from one runtime release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeDeprecation {
    /// Permanent id in the table of deprecations.
    pub id: String,
    /// One line on what it is.
    pub summary: String,
    /// True if this release tells the operator.
    pub warns: bool,
    /// When it goes: `planned for containerd 2.7`.
    pub removal: String,
    /// The step for the author of a plugin.
    pub remedy: String,
}

/// A field that a runtime is too old to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostField {
    /// Fully qualified name.
    pub element: String,
    /// The protocol revision that brought it.
    pub since: String,
}
