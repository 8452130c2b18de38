//! Recognizes the answer of a plugin that has no such RPC.

use crate::api::PLUGIN_SERVICE;
use crate::wire::{Code, Status};

/// The ways to say that something is missing, in lower case.
const PHRASES: [&str; 10] = [
    "is not supported",
    "does not exist",
    "not found",
    "not implemented",
    "unimplemented",
    "unknown method",
    "unknown service",
    "invalid service",
    "can not find",
    "can't find",
];

/// The way a plugin says that it has no such RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingRpc {
    /// With UNIMPLEMENTED, as the protocol demands.
    Stated,
    /// With another code, which the reference runtime takes for a failure.
    Misstated,
}

/// Returns how a status says that the plugin has no such RPC; `None` if it stands for any other
/// failure.
///
/// For programs that call plugins, and repeat an event as StateChange. The Rust `ttrpc` crate
/// answers NOT_FOUND from the default body of a generated trait, and INVALID_ARGUMENT from its
/// synchronous server and for unknown services. Handlers use these codes as well, so the message
/// has to name the service, as those do.
///
/// ```
/// use nri::plugin::{MissingRpc, missing_rpc};
/// use nri::wire::{Code, Status};
///
/// let unknown = Status::unknown_method("nri.pkg.api.v1alpha1.Plugin", "RunPodSandbox");
/// assert_eq!(missing_rpc(&unknown), Some(MissingRpc::Stated));
/// assert_eq!(missing_rpc(&Status::new(Code::NOT_FOUND, "pod not found")), None);
/// ```
pub fn missing_rpc(status: &Status) -> Option<MissingRpc> {
    match status.code {
        Code::UNIMPLEMENTED => Some(MissingRpc::Stated),
        Code::NOT_FOUND | Code::INVALID_ARGUMENT => {
            let message = status.message.to_ascii_lowercase();
            let names = message.contains(&PLUGIN_SERVICE.to_ascii_lowercase());
            let missing = PHRASES.iter().any(|phrase| message.contains(phrase));
            (names && missing).then_some(MissingRpc::Misstated)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_rpc_is_recognized_by_code_or_message() {
        let (stated, misstated) = (Some(MissingRpc::Stated), Some(MissingRpc::Misstated));
        for (code, message, missing) in [
            (Code::UNIMPLEMENTED, "", stated),
            (Code::NOT_FOUND, "PATH is not supported", misstated),
            (Code::NOT_FOUND, "PATH/is not supported", misstated),
            (Code::INVALID_ARGUMENT, "PATH does not exist", misstated),
            (Code::NOT_FOUND, "pod not found", None),
            (Code::INVALID_ARGUMENT, "PATH: bad annotation", None),
            (Code::INTERNAL, "PATH is not supported", None),
        ] {
            let message = message.replace("PATH", "/nri.pkg.api.v1alpha1.Plugin/RunPodSandbox");
            let status = Status::new(code, &*message);
            assert_eq!(missing_rpc(&status), missing, "{code} {message}");
        }
    }
}
