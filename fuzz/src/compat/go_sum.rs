//! Reads any bytes as `go.sum`, without a panic.

use nri_compat::check::evidence::go_sum::GoSum;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    super::reading::read(&GoSum, bytes);
}
