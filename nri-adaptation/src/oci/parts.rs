//! Access to parts of a spec, which are created if they are missing.
//!
//! A new part is empty. The defaults of the `oci-spec` crate are not used: they have namespaces,
//! masked paths, limits and capabilities.

use oci_spec::runtime::{Linux, LinuxIntelRdt, LinuxResources, Process, Spec};

pub(super) fn linux(spec: &mut Spec) -> &mut Linux {
    spec.linux_mut().get_or_insert_with(empty_linux)
}

pub(super) fn process(spec: &mut Spec) -> &mut Process {
    spec.process_mut().get_or_insert_with(empty_process)
}

pub(super) fn resources(spec: &mut Spec) -> &mut LinuxResources {
    linux(spec).resources_mut().get_or_insert_default()
}

pub(super) fn rdt(spec: &mut Spec) -> &mut LinuxIntelRdt {
    linux(spec).intel_rdt_mut().get_or_insert_default()
}

fn empty_linux() -> Linux {
    let mut linux = Linux::default();
    linux
        .set_resources(None)
        .set_namespaces(None)
        .set_masked_paths(None)
        .set_readonly_paths(None);
    linux
}

fn empty_process() -> Process {
    let mut process = Process::default();
    process
        .set_terminal(None)
        .set_args(None)
        .set_env(None)
        .set_cwd(Default::default())
        .set_no_new_privileges(None)
        .set_capabilities(None)
        .set_rlimits(None);
    process
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_made_is_empty() {
        let linux = serde_json::to_value(empty_linux()).unwrap();
        assert_eq!(linux, json!({}));
        let process = serde_json::to_value(empty_process()).unwrap();
        assert_eq!(process, json!({"user": {"uid": 0, "gid": 0}, "cwd": ""}));
    }
}
