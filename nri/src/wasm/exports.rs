//! The functions behind the exports of a module, with the types of WebAssembly.
//!
//! The calling convention is that of [go-plugin](https://github.com/knqyf263/go-plugin): the host
//! allocates a buffer with `malloc`, writes the request, and passes address and length. The
//! function returns the address of the answer in the upper half of a 64-bit number, and its length
//! in the lower half; bit 31 marks an error message. The host frees both.

use std::panic;
use std::sync::OnceLock;

use tracing::Level;

use crate::Result;
use crate::logging;
use crate::manifest;
use crate::plugin::Plugin;

use super::guest::Guest;
use super::host;
use super::memory::BUFFERS;

/// A plugin of any type: answers the request of an RPC.
pub type Boxed = Box<dyn Fn(&str, Vec<u8>) -> Result<Vec<u8>> + Send + Sync>;

/// Marks the length of an answer that is an error message.
const ERROR: u64 = 1 << 31;

/// Wraps the plugin of the module.
pub fn boxed<P: Plugin>(plugin: P) -> Boxed {
    manifest::embed::<P>();
    let guest = Guest::new(plugin);
    Box::new(move |rpc: &str, request| guest.answer(rpc, request))
}

/// Allocates a buffer for the host. Traps if memory is exhausted.
pub fn malloc(size: u32) -> u32 {
    BUFFERS.keep(vec![0; size as usize]) as u32
}

/// Frees a buffer that the host has allocated or got as an answer. Ignores other addresses.
pub fn free(address: u32) {
    BUFFERS.remove(address as usize);
}

/// Answers one request.
pub fn call(new: fn() -> Boxed, rpc: &str, address: u32, length: u32) -> u64 {
    static PLUGIN: OnceLock<Boxed> = OnceLock::new();
    let plugin = PLUGIN.get_or_init(|| {
        prepare();
        new()
    });
    let Some(request) = BUFFERS.read(address as usize, length as usize) else {
        return returned(b"the request is not in a buffer of malloc".to_vec(), ERROR);
    };
    match plugin(rpc, request) {
        Ok(answer) => returned(answer, 0),
        Err(error) => returned(format!("{error:#}").into_bytes(), ERROR),
    }
}

fn returned(answer: Vec<u8>, flag: u64) -> u64 {
    let length = answer.len() as u64;
    (BUFFERS.keep(answer) as u64) << 32 | length | flag
}

/// Sends logs and panics to the log of the runtime.
fn prepare() {
    logging::replace_stderr(host::log);
    logging::from_env();
    panic::set_hook(Box::new(|panic| host::log(Level::ERROR, panic.to_string())));
}
