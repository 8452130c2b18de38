//! The command `logs`.

mod adaptation;
#[cfg(feature = "slow-tests")]
mod hostile;
mod incidents;
mod inputs;
mod plugin_logs;
mod recorded;
