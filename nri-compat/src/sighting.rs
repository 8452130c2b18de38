//! The observations of readers, without a verdict, which depends on the target.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::place::Place;
use crate::unknown::Unknown;

/// A plugin, runtime, library user, requirement or log entry, as seen by a reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// The location.
    pub place: Place,
    /// The kind of file.
    pub kind: FileKind,
    /// The role.
    pub role: Role,
    /// The name of the plugin, if known.
    pub name: Option<String>,
    /// The two-digit index, if known.
    pub index: Option<String>,
    /// The identity of the program, which copies and rebuilds do not change: the import path of a
    /// Go program's main package, or the name in a manifest.
    pub program: Option<String>,
    /// The NRI that it was built with.
    pub nri: Built,
    /// The way in which it receives events.
    pub interface: Interface,
    /// The events that it handles.
    pub events: Events,
    /// The RPC names of the events that it refuses to run without.
    pub required: Vec<String>,
    /// The oldest release that it claims to support.
    pub min_protocol: Option<String>,
    /// The observations behind all this, in the order in which they were made.
    pub evidence: Vec<Evidence>,
    /// The number and times of its mentions in logs.
    pub occurrences: Option<Occurrences>,
    /// The incidents that the log of a runtime reports about it, the most serious first.
    pub incidents: Vec<Incident>,
    /// The names of the nodes on which a cluster runs it, sorted.
    pub nodes: Vec<String>,
    /// The Go package that it is part of, to be resolved when all files have been read.
    pub source: Option<Box<GoPackage>>,
}

/// A Go package, or a file of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoPackage {
    /// The folder, if it is on disk.
    pub folder: Option<PathBuf>,
    /// The name in its package clause.
    pub name: String,
    /// True if it imports the stub of NRI itself, not that of a fork.
    pub imports_stub: bool,
    /// The methods with the form of handlers, except those in files that are not part of every
    /// build.
    pub handlers: Vec<GoHandler>,
    /// The mask that Configure returns, if the code determines it.
    pub mask: Option<GoMask>,
    /// True if the packages that its module uses are vendored.
    pub is_vendored: bool,
    /// The path of the package relative to its module: `cmd/nri`.
    pub path_in_module: String,
    /// The paths of the programs of the module that import it, if it is not a program itself.
    pub programs: Vec<String>,
}

impl GoPackage {
    /// Returns true if the package is a program, and not imported by one.
    pub(crate) fn is_program(&self) -> bool {
        self.name == "main"
    }
}

/// A method with the form of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoHandler {
    /// The event, by RPC name.
    pub event: &'static str,
    /// True if the method takes a context, as from v0.4.0 on.
    pub takes_context: bool,
}

/// The mask that a Go plugin returns from Configure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoMask {
    /// The events, by RPC name.
    pub events: Vec<&'static str>,
    /// The line that names them, counted from 1.
    pub line: u32,
}

/// The kind of a file.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A Go executable.
    GoBinary,
    /// A Rust executable.
    RustBinary,
    /// A WebAssembly module.
    WasmModule,
    /// Configuration of v0.1.0 plugins: `/etc/nri/conf.json`.
    OneShotConfig,
    /// `go.mod`.
    GoMod,
    /// `go.sum`.
    GoSum,
    /// `vendor/modules.txt`.
    GoVendor,
    /// Go source files of one package.
    GoSource,
    /// `Cargo.lock`.
    CargoLock,
    /// A log of a runtime.
    Log,
    /// The output of `ctr deprecations list`.
    DeprecationList,
    /// A Kubernetes manifest, or an object in a cluster.
    Manifest,
    /// The configuration of a runtime.
    RuntimeConfig,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}

/// The role of something in NRI.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A plugin.
    Plugin,
    /// A runtime, which calls plugins.
    Runtime,
    /// A user of the API types only.
    Library,
    /// No visible role.
    #[default]
    #[serde(other)]
    None,
}

/// The NRI release that something was built with. Ranges come from code, `version` from the build's
/// own information.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Built {
    /// The version in build information or a lock file, such as `v0.11.0`: supporting evidence,
    /// never enough for a verdict.
    pub version: Option<String>,
    /// The oldest possible release, such as `v0.12.0`.
    pub at_least: Option<String>,
    /// The oldest release that is too new.
    pub below: Option<String>,
}

/// The way a plugin receives its events from the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Interface {
    /// As JSON on standard input of a process per event: v0.1.0.
    OneShot,
    /// As `StateChange`, for events without an RPC before v0.12.0.
    StateChange,
    /// In a dedicated RPC for every event, and also as `StateChange` from older runtimes.
    Dedicated,
    /// In dedicated RPCs that call its `StateChange` handler, so that it keeps working without that
    /// RPC.
    Funnelled,
    /// Through these exported functions (`plugin_…`) of a WebAssembly module.
    Exports(Vec<String>),
    /// Unknown, for this reason.
    Unknown(Unknown),
    /// It receives no events, or this was not checked.
    #[default]
    None,
}

impl Built {
    /// Returns a range of releases, which may be open.
    pub(crate) fn range(at_least: Option<&str>, below: Option<&str>) -> Self {
        Self {
            version: None,
            at_least: at_least.map(str::to_owned),
            below: below.map(str::to_owned),
        }
    }
}

impl Interface {
    /// Returns an unknown interface for this reason.
    pub fn unknown(why: impl Into<Unknown>) -> Self {
        Self::Unknown(why.into())
    }
}

/// The events that a plugin handles, by RPC name in CamelCase (`RunPodSandbox`), in the order of
/// their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// RPC names, in the order of the event numbers; `Synchronize`, `Configure` and `Shutdown` are
    /// not events.
    pub names: Vec<String>,
    /// The certainty of the set.
    pub certainty: Certainty,
}

/// The certainty of a set of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Known from types or a manifest: exactly these, or fewer if the plugin subscribes to fewer.
    Exact,
    /// Known from names: possibly more than it handles.
    ByName,
    /// Known from logs: possibly fewer than it handles.
    Observed,
    /// Unknown.
    #[default]
    Unknown,
}

/// An observation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The name of the reader.
    pub reader: &'static str,
    /// The observation: one line, in lower case.
    pub detail: String,
}

impl Evidence {
    /// Returns an observation of the reader with this name.
    pub(crate) fn new(reader: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { reader, detail }
    }
}

/// Something that happened to a plugin, or to NRI in a runtime, as the log of the runtime says; or
/// something that the configuration of the runtime says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// The id of the incident: `INCIDENT_CLOSED`, `CONFIG_NRI_OFF`, …
    pub rule: &'static str,
    /// The statement of the runtime: one line, in lower case.
    pub detail: String,
    /// RPC names of the events that the plugin subscribed to and the runtime does not know.
    pub events: Vec<String>,
    /// The number and times of the messages.
    pub occurrences: Occurrences,
    /// The line of the first message, or of the setting.
    pub place: Place,
    /// The setting of the runtime that it is about.
    pub setting: Option<String>,
    /// The next step, if it is another than that of the rule.
    pub remedy: Option<String>,
}

/// The name of the reader of logs in evidence.
pub const LOG_READER: &str = "log";

/// The number and times of the mentions of something in a log, with the time stamps of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Occurrences {
    /// The number of lines.
    pub count: u64,
    /// The first time stamp, as RFC 3339 if the log has that.
    pub first: Option<String>,
    /// The last time stamp.
    pub last: Option<String>,
}
