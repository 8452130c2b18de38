//! The lifecycle contract: its tests of plugins, probes and replays.

mod commands;
mod formats;
mod mutants;
#[cfg(feature = "go")]
mod plugins;
#[cfg(feature = "go")]
mod replay_go;
#[cfg(feature = "go")]
mod zoo;
