//! The command `logs`.

mod adaptation;
mod bridge;
#[cfg(feature = "slow-tests")]
mod hostile;
mod incidents;
mod inputs;
#[cfg(feature = "go")]
mod messages;
mod plugin_logs;
mod recorded;
