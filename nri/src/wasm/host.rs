//! The function that hosts provide.
#![allow(unsafe_code)]

use crate::codec::Message as _;
use tracing::Level;

use crate::api::LogRequest;
use crate::api::log_request::Level as HostLevel;

use super::memory::BUFFERS;

mod env {
    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        /// Writes an encoded LogRequest to the log of the runtime. Returns an encoded Empty, as
        /// address and length.
        pub(super) fn log(address: u32, length: u32) -> u64;
    }
}

/// Writes a line to the log of the runtime.
pub(super) fn log(level: Level, msg: String) {
    let host_level = match level {
        Level::ERROR => HostLevel::Error,
        Level::WARN => HostLevel::Warn,
        Level::INFO => HostLevel::Info,
        Level::DEBUG | Level::TRACE => HostLevel::Debug,
    };
    let request = LogRequest { msg, level: host_level.into() }.encode_to_vec();
    // SAFETY: the host reads the bytes during the call, and writes only to buffers that it
    // allocates with `malloc`.
    let answer = unsafe { env::log(request.as_ptr().addr() as u32, request.len() as u32) };
    BUFFERS.remove((answer >> 32) as usize);
}
