//! Tests that need more than one crate of the NRI toolkit, or a real peer.
//!
//! The modules about peers panic if something external is missing, so that a test without its peer
//! fails.
#![forbid(unsafe_code)]

pub mod accepted;
pub mod adjustments;
pub mod arguments;
pub mod behind_bridge;
#[cfg(doctest)]
mod book;
pub mod buf;
pub mod compare;
pub mod compile;
pub mod configuration;
pub mod containerd;
pub mod crio;
pub mod examples;
pub mod fixtures;
pub mod generated;
pub mod hex;
pub mod hostile;
pub mod html_reports;
pub mod judged;
pub mod kubernetes;
pub mod logs;
pub mod machine;
pub mod many;
pub mod matrix;
pub mod messages;
pub mod node;
pub mod nri_fixtures;
pub mod outline;
pub mod pad;
pub mod peers;
pub mod pinned;
pub mod plugin;
pub mod process;
pub mod published;
pub mod random;
pub mod recording;
pub mod registry;
pub mod relay;
pub mod release;
pub mod reports;
pub mod runtime;
pub mod session_reports;
pub mod snapshot;
pub mod specimens;
pub mod specs;
pub mod statements_table;
pub mod upstream;
pub mod wasm;
