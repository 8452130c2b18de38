//! The calls of a plugin to the service `Runtime`.

use std::time::Duration;

use bytes::Bytes;

use crate::api::{RUNTIME_SERVICE, RegisterPluginRequest};
use crate::codec::Message as _;
use crate::plugin_id::PluginId;
use crate::wire::{CallError, Caller, Request, Status};

pub use crate::api::runtime::RuntimeRpc;

/// Registers a plugin: makes every call that a plugin makes before the runtime calls Configure.
///
/// # Errors
///
/// Returns the error of the first call that fails.
pub async fn register(
    caller: &Caller,
    id: &PluginId,
    nri_version: &str,
    timeout: Option<Duration>,
) -> Result<(), CallError> {
    for rpc in RuntimeRpc::ALL {
        if let Some(request) = opening(*rpc, id, nri_version) {
            call(caller, *rpc, request, timeout).await?;
        }
    }
    Ok(())
}

/// Returns the request of an RPC that a plugin calls before Configure; `None` for one that it calls
/// at any time.
fn opening(rpc: RuntimeRpc, id: &PluginId, nri_version: &str) -> Option<Vec<u8>> {
    match rpc {
        RuntimeRpc::RegisterPlugin => {
            let request = RegisterPluginRequest {
                plugin_name: id.name.clone(),
                plugin_idx: id.index.clone(),
                nri_version: nri_version.to_owned(),
            };
            Some(request.encode_to_vec())
        }
        RuntimeRpc::UpdateContainers => None,
    }
}

/// Calls an RPC of the runtime with an encoded request.
pub(crate) async fn call(
    caller: &Caller,
    rpc: RuntimeRpc,
    request: Vec<u8>,
    timeout: Option<Duration>,
) -> Result<Bytes, CallError> {
    caller.call(RUNTIME_SERVICE, rpc.name(), request, timeout).await
}

/// Returns the RPC of the service `Runtime` that a request calls.
///
/// # Errors
///
/// Returns the answer to a request of another service, or of an unknown method.
pub fn called(request: &Request) -> Result<RuntimeRpc, Status> {
    if request.service != RUNTIME_SERVICE {
        return Err(Status::unknown_service(&request.service));
    }
    RuntimeRpc::from_name(&request.method)
        .ok_or_else(|| Status::unknown_method(&request.service, &request.method))
}
