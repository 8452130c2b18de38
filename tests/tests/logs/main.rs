//! The command `logs`.

mod adaptation;
#[cfg(feature = "slow-tests")]
mod hostile;
mod incidents;
mod inputs;
mod recorded;
