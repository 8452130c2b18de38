//! WebAssembly plugins: one exported function an RPC, all of them, and no fallback.

use super::{deprecation, no_protocol, ok};
use crate::check::target::Target;
use crate::report::check::{Confidence, Outcome, Verdict};

/// The first NRI release that loads WebAssembly modules.
const SINCE: &str = "v0.9.0";

pub(super) fn judge(exports: &[String], target: &Target<'_>) -> Verdict {
    if let Some(verdict) = no_protocol(target) {
        return verdict;
    }
    if !target.reaches_nri(SINCE) {
        return too_old(target);
    }
    let plugin = target
        .protocol
        .and_then(|protocol| protocol.service("Plugin"));
    let rpcs = plugin
        .map(|plugin| plugin.rpcs.as_slice())
        .unwrap_or_default();
    let missing: Vec<String> = rpcs
        .iter()
        .map(|rpc| rpc.name.clone())
        .filter(|rpc| !exports.contains(&crate::diff::wasm_export(rpc)))
        .collect();
    if missing.is_empty() {
        return ok("it exports a function for every RPC");
    }
    refused(missing, target)
}

fn refused(missing: Vec<String>, target: &Target<'_>) -> Verdict {
    let functions: Vec<String> = missing
        .iter()
        .map(|rpc| crate::diff::wasm_export(rpc))
        .collect();
    let deprecation = deprecation(target.history, "wasm-state-change");
    Verdict {
        outcome: Outcome::Incompatible,
        rule: "CHECK_WASM_EXPORTS",
        since: deprecation
            .filter(|one| target.has_removed(one))
            .and_then(|one| one.deprecated_in.nri.clone()),
        reason: format!(
            "the module does not load: it lacks {}",
            functions.join(", ")
        ),
        remedy: format!(
            "rebuild the module against NRI {} or later, so that it exports them",
            target.head.nri
        ),
        events: missing,
        confidence: Confidence::High,
        ..Verdict::default()
    }
}

fn too_old(target: &Target<'_>) -> Verdict {
    Verdict {
        outcome: Outcome::Incompatible,
        rule: "CHECK_WASM_EXPORTS",
        since: None,
        reason: format!(
            "{} links NRI {}, which loads no WebAssembly; {SINCE} was the first to",
            target.head.name, target.head.nri
        ),
        remedy: "upgrade the runtime, or run the plugin as a native program".to_owned(),
        confidence: Confidence::High,
        ..Verdict::default()
    }
}
