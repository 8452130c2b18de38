//! Deprecations in the log, worded like the reference.

use super::{Deprecated, Deprecations};

/// Logs each record once through [`tracing`], as a warning.
///
/// The wording is that of the
/// [reference](https://github.com/containerd/nri/blob/v0.12.5/pkg/adaptation/plugin.go) without a recorder, which
/// `nri-compat logs` finds. An adaptation uses it by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogDeprecations;

impl Deprecations for LogDeprecations {
    fn first_use(&self, record: &Deprecated) {
        let Deprecated {
            plugin, instead, ..
        } = record;
        tracing::warn!(
            "plugin {plugin} uses deprecated StateChange instead of a dedicated {instead} RPC call"
        );
        if record.breaks_on_reference {
            tracing::warn!(
                "plugin {plugin} does not answer {instead} with UNIMPLEMENTED: the event breaks on the reference runtime"
            );
        }
    }
}
