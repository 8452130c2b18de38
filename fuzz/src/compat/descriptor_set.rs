//! Reads any bytes as two descriptor sets and compares them, without a panic.

use nri_compat::diff::breaking;
use nri_schema::Schema;

/// Runs the target once.
pub(crate) fn run(input: (&[u8], &[u8])) {
    let (Ok(from), Ok(to)) = (Schema::decode(input.0), Schema::decode(input.1)) else {
        return;
    };
    assert!(breaking(&from, &from, &[]).is_empty());
    for finding in breaking(&from, &to, &[]) {
        assert!(!finding.message.is_empty());
    }
}
