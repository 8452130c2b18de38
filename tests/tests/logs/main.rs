//! The command `logs`.

mod adaptation;
mod hostile;
mod inputs;
mod recorded;
