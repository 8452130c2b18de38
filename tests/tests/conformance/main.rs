//! The lifecycle contract: its tests of plugins, probes and replays.

#[cfg(feature = "go")]
mod bridged;
#[cfg(feature = "slow-tests")]
mod commands;
mod formats;
#[cfg(feature = "slow-tests")]
mod mutants;
#[cfg(feature = "go")]
mod plugins;
#[cfg(feature = "go")]
mod replay_go;
#[cfg(feature = "go")]
mod zoo;
