//! Warns about fields of an answer that the runtime is too old for and silently ignores.

use std::sync::PoisonError;

use super::tools::Tools;
use crate::api::fields::{is_outdated, newer_than};

impl Tools {
    /// Logs a warning, once per field, about fields of an answer that the runtime will ignore.
    pub(crate) fn warn_of_skipped(&self, rpc: &str, answer: &[u8]) {
        if answer.is_empty() {
            return;
        }
        let Some(runtime) = self.runtime() else {
            return;
        };
        let Some(nri) = runtime.nri_version().filter(|nri| is_outdated(nri)) else {
            return;
        };
        for newer in newer_than(&format!("{rpc}Response"), answer, &nri) {
            let mut warned = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
            if warned.insert(format!("{rpc} {} {nri}", newer.field)) {
                let (field, since) = (&newer.field, newer.since);
                tracing::warn!(
                    "{runtime} ignores `{field}` in the answer to {rpc}: it was added in NRI \
                         {since}"
                );
            }
        }
    }
}
