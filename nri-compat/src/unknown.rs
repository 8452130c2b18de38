//! The reasons why something cannot be determined, as what was seen. Their words are here, and the
//! next step for each is in `check::verdict`.

mod kubernetes;
mod process;

use std::fmt;

pub use kubernetes::{
    Installation, NriMention, NriPath, UnknownChart, UnknownImage, UnknownManifest,
};
pub use process::{PluginActivity, UnknownExecutable, UnknownProcess};

/// The reason why something cannot be determined. It is shown as one line, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// About a file of any kind.
    File(UnknownFile),
    /// About a program.
    Program(UnknownProgram),
    /// About the sources of a program, or what they depend on.
    Source(UnknownSource),
    /// The image could not be fetched: its name, and the reason.
    NotFetched(String, String),
    /// About a process that is a plugin by what it does.
    Process(UnknownProcess),
    /// About a Kubernetes manifest.
    Manifest(UnknownManifest),
    /// About a bridge whose plugin is not known.
    Bridge(UnknownBridge),
    /// About a plugin in a log.
    Log(UnknownLog),
}

/// The reason why a file cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownFile {
    /// The folder has no files.
    NoFiles,
    /// It has no bytes.
    Empty,
    /// It is a script for this interpreter, if it names one.
    Script(Option<String>),
    /// It has this compression, and no known content.
    Compressed(&'static str),
    /// It is of no known kind.
    OtherKind,
    /// It is a pipe, a socket or a device.
    Special,
    /// It cannot be read, for this reason.
    Unread(String),
    /// Parts of it cannot be read: the first reason, and the number of further ones.
    PartlyUnread(String, usize),
    /// It is a link that cannot be followed, for this reason.
    BrokenLink(String),
    /// It is a link to this path, which is not known to be a plugin.
    LinkToUnknown(String),
    /// It is a link to this path, and the folder in which runtimes look for plugins.
    LinkedFolder(String),
    /// It was named as a configuration, and is none.
    NoConfiguration,
    /// It is a program without a trace of NRI that a runtime starts.
    Launched,
    /// It is a program without a trace of NRI that has the name of a plugin.
    PluginName,
}

/// The reason why a program cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownProgram {
    /// It is packed by UPX.
    Upx,
    /// It has `length` bytes, and `missing` at least are not there.
    CutShort {
        /// The number of its bytes.
        length: u64,
        /// The number of missing bytes.
        missing: u64,
    },
    /// It is for another operating system.
    Foreign,
    /// Data of this size is appended to it, in this format if that is known.
    Appended(u64, Option<&'static str>),
    /// It contains this, which was not read.
    Contains(&'static str),
    /// It has no section headers, and no trace of a toolchain.
    NoSections,
    /// It can connect to a runtime, and does not have the name of the protocol.
    Connects,
    /// It is in Go, and its function table cannot be read.
    NoFunctionTable,
    /// It is in Go, and its names are obfuscated.
    Obfuscated,
    /// It speaks the protocol without NRI's stub.
    NoStub,
    /// It serves the protocol without NRI's stub.
    ServesWithoutStub,
    /// It speaks the protocol, and has no manifest.
    NoManifest,
    /// Its manifest is damaged, or it has too many.
    DamagedManifest,
    /// Its stub has some of the dedicated RPCs.
    MixedStub,
    /// It calls the `skel` of this module, which is not that of NRI.
    CopiedSkel(String),
    /// The stub that it links would not accept its handlers.
    HandlersRefused,
    /// The types with its handlers cannot be read.
    HandlersUnread,
    /// It is a WebAssembly component.
    Component,
    /// It is a WebAssembly module that is damaged or cut short.
    DamagedModule,
    /// It is a WebAssembly module that ends before its exports.
    NoExports,
}

/// The reason why sources cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownSource {
    /// They only name NRI as a dependency.
    Dependency,
    /// This version of NRI identifies no release.
    Version(String),
    /// This commit of NRI is one of those around a change.
    Commit(String),
    /// They are in an archive.
    InArchive,
    /// They declare no handler of an event that arrives as `StateChange`.
    NoHandler,
    /// Only the program shows more.
    OnlyProgram,
    /// Their module does not tell the release of NRI, for this reason.
    Module(String),
    /// The Go toolchain does not build the program, for this reason.
    NotBuilt(String),
}

/// The reason why the plugin of a bridge is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownBridge {
    /// This file does not exist.
    NoFile(String),
    /// The process with this id has no plugin behind it.
    NoProcess(u32),
    /// It starts this program, which is not a plugin in the image.
    NoPlugin(String),
    /// It relays for the plugins that connect to this socket.
    Socket(String),
    /// It has no program to start.
    NoProgram,
}

/// The reason why a log does not tell how a plugin receives its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownLog {
    /// The log has no warning about it.
    NoWarning,
    /// The runtime closed it.
    Closed,
    /// The runtime did not accept it.
    Refused,
    /// It is behind a bridge.
    Bridged,
    /// The log is its own, in which no runtime warns about it.
    OwnLog,
    /// Parts of the log cannot be read, for this reason.
    Unread(String),
}

/// The meaning of a line of `nri-bridge` for the plugin behind it.
pub const BRIDGED: &str =
    "nri-bridge sends it StateChange, whatever the runtime does: it has to stay behind the bridge";

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(why) => why.fmt(f),
            Self::Program(why) => why.fmt(f),
            Self::Source(why) => why.fmt(f),
            Self::NotFetched(image, why) => write!(f, "cannot fetch {image}: {why}"),
            Self::Process(why) => why.fmt(f),
            Self::Manifest(why) => why.fmt(f),
            Self::Bridge(why) => why.fmt(f),
            Self::Log(why) => why.fmt(f),
        }
    }
}

impl fmt::Display for UnknownFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoFiles => "contains no files",
            Self::Empty => "it is empty",
            Self::Script(None) => "a script that names no interpreter",
            Self::Script(Some(interpreter)) => {
                return write!(
                    f,
                    "a script for `{interpreter}`; cannot determine which program it runs"
                );
            }
            Self::Compressed(name) => {
                return write!(f, "compressed with {name}, but neither an archive nor a log");
            }
            Self::OtherKind => "not a kind of file that can be judged",
            Self::Special => "neither a file nor a folder",
            Self::Unread(why) => why,
            Self::PartlyUnread(first, 0) => {
                return write!(f, "not all of it could be read: {first}");
            }
            Self::PartlyUnread(first, more) => {
                return write!(f, "not all of it could be read: {first}, and {more} more");
            }
            Self::BrokenLink(why) => return write!(f, "a link that cannot be followed: {why}"),
            Self::LinkToUnknown(target) => {
                return write!(
                    f,
                    "a link to {target}, which is not known to be a plugin or to be none"
                );
            }
            Self::LinkedFolder(target) => {
                return write!(
                    f,
                    "a link to {target}, so that runtimes start the executables there, not all of which are recognised"
                );
            }
            Self::NoConfiguration => "not a configuration of containerd or CRI-O",
            Self::Launched => {
                "a program without a trace of NRI, which the runtime starts as a plugin"
            }
            Self::PluginName => "a program without a trace of NRI, but with the name of a plugin",
        })
    }
}

impl fmt::Display for UnknownProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Upx => "packed by UPX; unpack it (upx -d) and check again",
            Self::CutShort { length, missing } => {
                let whole = length + missing;
                return write!(f, "the file is cut short: it has {length} of at least {whole} bytes");
            }
            Self::Foreign => {
                "a program for another operating system than Linux; build it for Linux and check that"
            }
            Self::Appended(size, Some(format)) => {
                return write!(
                    f,
                    "{size} bytes of packed data ({format}) are appended to it and were not read; unpack them and check again"
                );
            }
            Self::Appended(size, None) => {
                return write!(
                    f,
                    "{size} bytes of unknown data are appended to it and were not read"
                );
            }
            Self::Contains(what) => {
                return write!(
                    f,
                    "it contains {what}, which was not read; check that one as well"
                );
            }
            Self::NoSections => {
                "it has no section headers and no trace of a known toolchain (packed?)"
            }
            Self::Connects => {
                "contains NRI's socket or a variable that runtimes set for plugins, but not the \
                 name of the protocol; cannot determine what it is"
            }
            Self::NoFunctionTable => "a Go program without a readable function table",
            Self::Obfuscated => {
                "a Go program whose names are obfuscated (garble); check its sources, or a build without that"
            }
            Self::NoStub => {
                "speaks NRI's protocol without NRI's stub; cannot determine which calls it answers"
            }
            Self::ServesWithoutStub => {
                "serves the protocol without NRI's stub; cannot determine which calls it answers"
            }
            Self::NoManifest => {
                "speaks NRI's protocol, but has no manifest; cannot determine which calls it answers"
            }
            Self::DamagedManifest => {
                "a manifest of a plugin in it is damaged, or it has too many of them"
            }
            Self::MixedStub => "its stub has some of the dedicated RPCs, as no release of NRI does",
            Self::CopiedSkel(module) => {
                return write!(f, "calls {module}/skel.Run, which may be a copy of NRI v0.1.0");
            }
            Self::HandlersRefused => "none of its types has a handler that the stub would accept",
            Self::HandlersUnread => "its types cannot be read, or its stub is a changed copy",
            Self::Component => {
                "a WebAssembly component, not a module: runtimes do not load it as a plugin"
            }
            Self::DamagedModule => "the module is damaged or cut short",
            Self::NoExports => "the module ends before its exports",
        })
    }
}

impl fmt::Display for UnknownSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dependency => {
                "it names NRI as a dependency, which does not show which events are handled"
            }
            Self::Version(version) => {
                return write!(f, "`{version}` does not identify an NRI release");
            }
            Self::Commit(version) => {
                return write!(f, "commit `{version}` may or may not have dedicated RPCs");
            }
            Self::InArchive => "its sources are in an archive: unpack it and check the folder",
            Self::NoHandler => {
                "it declares no handler of an event that arrives as StateChange, but other packages may"
            }
            Self::OnlyProgram => "only the built program shows which events it handles, and how",
            Self::Module(why) | Self::NotBuilt(why) => why,
        })
    }
}

impl fmt::Display for UnknownBridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFile(path) => write!(f, "a bridge whose plugin {path} was not found"),
            Self::NoProcess(pid) => {
                write!(f, "a bridge whose plugin was not found among the processes: pid {pid}")
            }
            Self::NoPlugin(program) => {
                write!(f, "nri-bridge starts {program}, which is not a plugin in the image")
            }
            Self::Socket(socket) => write!(
                f,
                "nri-bridge relays for the plugins that connect to {socket}: check the workloads that mount its folder"
            ),
            Self::NoProgram => {
                f.write_str("nri-bridge has no program to start: name one behind `--`")
            }
        }
    }
}

impl fmt::Display for UnknownLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoWarning => {
                "no warning about it in this log: it may answer dedicated RPCs, its events may not have fired yet, or the runtime may not warn"
            }
            Self::Closed => {
                "the runtime closed it, and the log has no warning about its interface before that"
            }
            Self::Refused => {
                "the runtime did not accept it, so that the log shows nothing about its interface"
            }
            Self::Bridged => BRIDGED,
            Self::OwnLog => {
                "this log is its own, which does not show its interface: only that of the runtime does"
            }
            Self::Unread(why) => return write!(f, "not all of the log could be read: {why}"),
        })
    }
}

/// Makes the reasons of each group those of the whole.
macro_rules! groups {
    ($($group:ident($type:ident),)*) => {
        $(
            impl From<$type> for Unknown {
                fn from(why: $type) -> Self {
                    Self::$group(why)
                }
            }
        )*
    };
}
groups! {
    File(UnknownFile),
    Program(UnknownProgram),
    Source(UnknownSource),
    Process(UnknownProcess),
    Manifest(UnknownManifest),
    Bridge(UnknownBridge),
    Log(UnknownLog),
}
