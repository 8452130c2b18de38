//! Reads any bytes as `Cargo.lock`, without a panic.

use nri_compat::check::evidence::cargo_lock::CargoLock;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    super::reading::read(&CargoLock, bytes);
}
