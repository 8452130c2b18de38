//! Reads any bytes as a file that declares dependencies, without a panic.

use nri_compat::check::evidence::declared::Declared;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    super::reading::read(&Declared, bytes);
}
