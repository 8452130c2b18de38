//! The functions that a module has to export.

use super::super::revision::Revision;
use super::error::ModuleError;
use nri::__private::RPCS;

/// The first release with WebAssembly plugins.
const SINCE: &str = "v0.9.0";

/// Returns the RPCs that a module needs functions for under a release: all that the release has, as in the reference.
/// There is no fallback to StateChange.
///
/// # Errors
///
/// Returns [`ModuleError::Revision`] if the release has no WebAssembly plugins.
pub(super) fn required(revision: &Revision) -> Result<Vec<&'static str>, ModuleError> {
    if !revision.is_at_least(SINCE) {
        return Err(ModuleError::Revision {
            release: revision.release().to_owned(),
            since: SINCE,
        });
    }
    let known = RPCS.iter().filter(|rpc| revision.has_rpc(rpc));
    Ok(known.map(|rpc| rpc.name).collect())
}

/// Returns the name of the function for an RPC, such as `plugin_run_pod_sandbox` for `RunPodSandbox`.
pub(super) fn function(rpc: &str) -> String {
    let mut name = "plugin".to_owned();
    for letter in rpc.chars() {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_release_needs_the_functions_of_its_rpcs() {
        let required = |release: &str| required(&Revision::of(release).unwrap());
        assert!(required("v0.8.0").is_err());
        let old = required("v0.9.0").unwrap();
        assert_eq!(old.len(), 7, "{old:?}");
        assert!(old.contains(&"StateChange") && !old.contains(&"RunPodSandbox"));
        let untagged = required("v0.9.1-0.20250219030224-e597e7849f24").unwrap();
        assert!(untagged.contains(&"UpdatePodSandbox"), "{untagged:?}");
        assert_eq!(required("v0.11.0").unwrap().len(), 9);
        assert_eq!(required("v0.12.5").unwrap().len(), RPCS.len());
    }

    #[test]
    fn functions_are_named_in_snake_case() {
        assert_eq!(function("Configure"), "plugin_configure");
        assert_eq!(
            function("PostUpdatePodSandbox"),
            "plugin_post_update_pod_sandbox"
        );
    }
}
