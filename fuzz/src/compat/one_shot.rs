//! Reads any bytes as the configuration of v0.1.0 plugins, without a panic.

use nri_compat::check::evidence::one_shot::OneShotConfig;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    super::reading::read(&OneShotConfig, bytes);
}
