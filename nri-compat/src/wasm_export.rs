//! The functions of plugins that are WebAssembly modules.

use heck::ToSnakeCase as _;

/// Returns the name of an RPC in a module: `plugin_run_pod_sandbox` for `RunPodSandbox`.
pub(crate) fn wasm_export(rpc: &str) -> String {
    format!("plugin_{}", rpc.to_snake_case())
}
