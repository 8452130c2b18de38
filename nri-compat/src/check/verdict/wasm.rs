//! WebAssembly plugins: one exported function per RPC, all required, and no fallback.

use super::{cannot_tell, deprecation, no_protocol, objection, ok};
use crate::check::evidence::wasm::VERSION;
use crate::check::target::Target;
use crate::facts;
use crate::report::check::{Confidence, Outcome, Verdict};
use crate::rules::ids;
use crate::sighting::Sighting;
use crate::wasm_export::wasm_export;

pub(super) fn judge(seen: &Sighting, exports: &[String], target: &Target<'_>) -> Verdict {
    if let Some(verdict) = no_protocol(target) {
        return verdict;
    }
    if !target.reaches_nri(facts::WASM) {
        return too_old(target);
    }
    let plugin = target.protocol.and_then(|protocol| protocol.service("Plugin"));
    let Some(plugin) = plugin else {
        return cannot_tell(seen, "the target's protocol has no service for plugins".to_owned());
    };
    let missing: Vec<String> = plugin
        .rpcs
        .iter()
        .map(|rpc| rpc.name.clone())
        .filter(|rpc| !exports.contains(&wasm_export(rpc)))
        .collect();
    if !missing.is_empty() || !exports.iter().any(|name| name == VERSION) {
        return refused(missing, exports, target);
    }
    // Such a module has functions for all events of its own release, handled or not.
    let newer: Vec<&str> = seen
        .events
        .names
        .iter()
        .filter(|event| target.event(event).is_none())
        .map(String::as_str)
        .collect();
    if !newer.is_empty() {
        let reason = format!(
            "{} drops the plugin if it subscribes to {}; cannot determine whether it does",
            target.head.name,
            newer.join(", ")
        );
        return cannot_tell(seen, reason);
    }
    ok("exports a function for each RPC")
}

fn refused(missing: Vec<String>, exports: &[String], target: &Target<'_>) -> Verdict {
    let mut functions: Vec<String> = missing.iter().map(|rpc| wasm_export(rpc)).collect();
    if !exports.iter().any(|name| name == VERSION) {
        functions.insert(0, VERSION.to_owned());
    }
    let deprecation = deprecation(target.history, "wasm-state-change");
    Verdict {
        outcome: Outcome::Incompatible,
        rule: ids::CHECK_WASM_EXPORTS,
        since: deprecation
            .filter(|one| target.has_removed(one))
            .and_then(|one| one.deprecated_in.nri.clone()),
        reason: format!("the module does not load: it lacks {}", functions.join(", ")).into(),
        remedy: format!(
            "rebuild the module against NRI {} or later, so that it exports them",
            target.head.nri
        )
        .into(),
        events: missing.into(),
        confidence: Confidence::High,
        ..Verdict::default()
    }
}

fn too_old(target: &Target<'_>) -> Verdict {
    let (name, nri, first) = (&target.head.name, &target.head.nri, facts::WASM);
    let reason = format!(
        "{name} links NRI {nri}, which does not load WebAssembly; {first} is the first release that does"
    );
    let remedy = "upgrade the runtime, or run the plugin as a native program".to_owned();
    objection(Outcome::Incompatible, ids::CHECK_WASM_EXPORTS, reason, remedy)
}
