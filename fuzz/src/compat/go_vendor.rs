//! Reads any bytes as `vendor/modules.txt`, without a panic.

use nri_compat::check::evidence::go_vendor::GoVendor;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    super::reading::read(&GoVendor, bytes);
}
