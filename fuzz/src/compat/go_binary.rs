//! Reads any bytes as an executable, with the same result from memory and in pieces.

use nri_compat::check::evidence::program::Program;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    super::pieces::read(&Program, bytes);
}
