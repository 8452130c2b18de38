//! The command `logs`.

mod adaptation;
#[cfg(feature = "slow-tests")]
mod hostile;
mod inputs;
mod recorded;
