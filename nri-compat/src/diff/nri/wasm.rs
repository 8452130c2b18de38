//! WebAssembly plugins: one exported function per RPC, and no fallback.

use heck::ToSnakeCase as _;

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
    let rpcs = plugin.rpcs.iter();
    let new = rpcs.filter(|rpc| cx.from.rpc(PLUGIN, &rpc.name).is_none());
    let new: Vec<String> = new.map(|rpc| export(&rpc.name)).collect();
    if !new.is_empty() {
        let functions = names(&new);
        let message = format!("a WebAssembly plugin does not load unless it exports {functions}");
        sink.report_declared("NRI_WASM_EXPORT_REQUIRED", plugin, message);
    }
}

/// Returns the name of an RPC in a module: `plugin_run_pod_sandbox` for `RunPodSandbox`.
pub(crate) fn export(rpc: &str) -> String {
    format!("plugin_{}", rpc.to_snake_case())
}
