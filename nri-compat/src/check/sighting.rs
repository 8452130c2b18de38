//! The observations of readers, without a meaning: that depends on the target.

use std::path::PathBuf;

use super::place::Place;

/// One plugin, runtime, library user, requirement or log entry, as a reader saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// Where it was seen.
    pub place: Place,
    /// The sort of file it is.
    pub kind: FileKind,
    /// The part it plays.
    pub role: Role,
    /// Name of the plugin, where known.
    pub name: Option<String>,
    /// Its two-digit index, where known.
    pub index: Option<String>,
    /// The program that it is, by the name that its build gives it and that no copy or rebuild changes: the import path of
    /// a Go program's main package, the name in a manifest.
    pub program: Option<String>,
    /// Which NRI it was built with.
    pub nri: Built,
    /// How it takes its events.
    pub interface: Interface,
    /// Which events it handles.
    pub events: Events,
    /// RPC names of the events that it refuses to run without.
    pub required: Vec<String>,
    /// The oldest release that it says it is meant for.
    pub min_protocol: Option<String>,
    /// The observations that led to all this, in the order in which they were made.
    pub evidence: Vec<Evidence>,
    /// How often and when logs saw it at work.
    pub occurrences: Option<Occurrences>,
    /// The Go package that it is part of, to be resolved when all files were read.
    pub source: Option<Box<GoPackage>>,
}

/// A Go package on a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoPackage {
    /// Its folder.
    pub folder: PathBuf,
    /// The name in its package clauses.
    pub name: String,
    /// Import paths of the stubs that it uses.
    pub stubs: Vec<String>,
    /// The version of NRI that its `go.mod` requires.
    pub required: Option<String>,
    /// Everything that decides on the release besides this requirement.
    pub pins: Vec<Pin>,
}

/// Something besides a requirement that decides which NRI a Go module is built with. Files are named relative to the
/// module's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pin {
    /// A `replace` directive.
    Replace {
        /// The `go.mod` or `go.work` that has it.
        file: String,
        /// Its line.
        line: usize,
        /// The module, with the version where it replaces only that one.
        key: String,
    },
    /// Another module file, for `-modfile`.
    ModFile {
        /// Its name.
        file: String,
    },
    /// A folder of vendored packages.
    Vendor {
        /// True if it belongs to the workspace instead of the module.
        in_workspace: bool,
    },
}

/// The sort of file that was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// Answer of `ctr deprecations list`.
    DeprecationList,
    /// Anything else.
    #[default]
    Other,
}

/// The part that something plays in NRI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A plugin.
    Plugin,
    /// A runtime: it calls plugins.
    Runtime,
    /// It uses the API's types only.
    Library,
    /// No part that could be seen.
    #[default]
    None,
}

/// The NRI release that something was built with. Ranges come from code, `version` from what the build says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The version in build information or a lock file, such as `v0.11.0`: supporting evidence, never a verdict of its own.
    pub version: Option<String>,
    /// The oldest release it can be, such as `v0.12.0`.
    pub at_least: Option<String>,
    /// The oldest release that is newer than it.
    pub below: Option<String>,
}

/// How a plugin receives its events from the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Interface {
    /// It is started once per event, with JSON on standard input: v0.1.0.
    OneShot,
    /// Events that had no RPC before v0.12.0 arrive as `StateChange`.
    StateChange,
    /// It answers a dedicated RPC for every event, and also `StateChange`, for older runtimes.
    Dedicated,
    /// It answers the dedicated RPCs with its own handler of `StateChange`, so that it outlives that RPC.
    Funnelled,
    /// It is a WebAssembly module that exports these functions (`plugin_…`).
    Exports(Vec<String>),
    /// It cannot be determined, for this reason: one line, lower case.
    Unknown(String),
    /// It receives no events, or that was not looked at.
    #[default]
    None,
}

/// The events that a plugin handles, by RPC name in CamelCase (`RunPodSandbox`), in order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// RPC names, in order of event number; `Synchronize`, `Configure` and `Shutdown` are no events.
    pub names: Vec<String>,
    /// How that is known.
    pub certainty: Certainty,
}

/// How a set of events is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// From types or a manifest: exactly these, or fewer if the plugin subscribes to fewer.
    Exact,
    /// From names alone: possibly more than it handles.
    ByName,
    /// From what happened: possibly fewer than it handles.
    Observed,
    /// Not known at all.
    #[default]
    Unknown,
}

/// One observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Name of the reader.
    pub reader: &'static str,
    /// The observation: one line, lower case.
    pub detail: String,
}

/// How often and when a log mentions something, in the log's own time stamps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// Number of lines.
    pub count: u64,
    /// First time stamp, RFC 3339 where the log has that.
    pub first: Option<String>,
    /// Last time stamp.
    pub last: Option<String>,
}
