//! WebAssembly plugins: one exported function per RPC, and no fallback.

use heck::ToSnakeCase as _;

use nri_schema::model::Rpc;

use super::semantics::{HOST_FUNCTIONS, PLUGIN};
use super::{Context, Sink, names};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    // Runtimes load WebAssembly since the protocol has functions for modules to import.
    if cx.from.service(HOST_FUNCTIONS).is_none() || !cx.both_serve() {
        return;
    }
    let Some(plugin) = cx.to.service(PLUGIN) else {
        return;
    };
    let is_new = |rpc: &&Rpc| cx.from.rpc(PLUGIN, &rpc.name).is_none();
    let new: Vec<String> = plugin
        .rpcs
        .iter()
        .filter(is_new)
        .map(|rpc| export(&rpc.name))
        .collect();
    if !new.is_empty() {
        let functions: Vec<&str> = new.iter().map(String::as_str).collect();
        let message = format!(
            "a WebAssembly plugin does not load unless it exports {}",
            names(&functions)
        );
        let at = plugin.about.location.clone();
        sink.report("NRI_WASM_EXPORT_REQUIRED", at, &plugin.full_name, message);
    }
}

/// Returns the name of an RPC in a module: `plugin_run_pod_sandbox` for `RunPodSandbox`.
pub(crate) fn export(rpc: &str) -> String {
    format!("plugin_{}", rpc.to_snake_case())
}

#[cfg(test)]
mod tests {
    #[test]
    fn exports_are_in_snake_case() {
        assert_eq!(super::export("RunPodSandbox"), "plugin_run_pod_sandbox");
    }
}
