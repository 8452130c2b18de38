//! The adaptation, with plugins in this process, plugins on the stub, and peers that break the
//! rules.

#![allow(deprecated, reason = "old plugins get StateChange")]

mod blocking;
mod builtin;
mod connecting;
mod duties;
mod errors;
mod faults;
mod garbage;
mod launching;
mod lifecycle;
mod merging;
mod peer;
mod plugins;
mod registering;
mod relaying;
mod revisions;
mod synchronizing;
#[path = "../../../nri/tests/wire/threads.rs"]
mod threads;
mod updating;
