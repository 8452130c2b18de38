//! Reads any bytes as a Go file, without a panic.

use nri_compat::check::evidence::go_source::GoSource;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    super::reading::read(&GoSource, bytes);
}
