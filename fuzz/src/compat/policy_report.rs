//! Reads any JSON as a policy report in a cluster: its report, nothing, or an error, never a panic.

use nri_compat::report::policy_report::document;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(object) = serde_json::from_slice(bytes)
        && let Ok(Some(report)) = document(object)
    {
        assert!(report["subjects"].is_array());
    }
}
