//! Runs an NRI plugin that nobody can rebuild under runtimes without `StateChange`.
//!
//! Towards the runtime the bridge is the plugin, towards the plugin it is the runtime. Every
//! message passes as the bytes that were sent, with the same index, name and configuration, except
//! for two: in Configure the time limits become shorter, and an event whose RPC the plugin says
//! that it does not have is sent to it again as `StateChange`. A plugin that crashes or answers too
//! late leaves the request unanswered and closes the connection, so that the runtime does what it
//! does with such a plugin.
//!
//! | module | contents |
//! | --- | --- |
//! | [`relay`] | the messages between one runtime and one plugin |
//! | [`child`] | the process of the plugin |
//! | [`place`] | the location of the plugin behind a launched bridge |
//! | [`modes`] | the three ways to run: launched, as a wrapper, and listening |
//! | [`state`] | what probes and metrics show |
//! | [`install`] | the copy of the program for containers with another image |
//! | [`flags`] | the command line |
//! | [`output`] | where the log goes |

pub mod child;
pub mod error;
pub mod flags;
pub mod install;
pub mod modes;
pub mod output;
pub mod place;
pub mod relay;
pub mod state;

pub use error::{Error, ErrorKind};
