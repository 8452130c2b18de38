//! Reads any bytes as `go.mod`, without a panic.

use nri_compat::check::evidence::go_mod::GoModReader;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    super::reading::read(&GoModReader, bytes);
}
