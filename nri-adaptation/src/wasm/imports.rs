//! The function that NRI provides to modules: the log of the runtime.

use nri::codec::Message as _;
use wasmi::{Caller, Linker};

use super::error::ModuleError;
use super::host::Host;
use nri::api::LogRequest;
use nri::api::log_request::Level;
use nri::wire::MAX_MESSAGE;

/// Longest line that is logged, in bytes.
const MAX_LINE: usize = 64 << 10;

/// Defines `env.log`.
///
/// # Errors
///
/// Returns an error of the engine, which has no reason to return one.
pub(super) fn define(linker: &mut Linker<Host>) -> Result<(), ModuleError> {
    let defined = linker.func_wrap("env", "log", log).map(drop);
    defined.map_err(|error| ModuleError::Engine(error.to_string()))
}

/// Logs an encoded LogRequest. Returns address and length of an encoded Empty, which has no bytes.
fn log(mut caller: Caller<'_, Host>, address: u32, length: u32) -> Result<u64, wasmi::Error> {
    caller.data().limit.check()?;
    let request = read(&caller, "log", address, length)?;
    let request = LogRequest::decode(&*request);
    let request = request.map_err(|error| ModuleError::Engine(format!("log: {error}")))?;
    write(caller.data_mut(), request.level(), &request.msg);
    Ok(0)
}

/// Writes a line to the log, unless there were too many. A long line is cut.
pub(super) fn write(host: &mut Host, level: Level, line: &str) {
    let plugin = &*host.plugin;
    if !host.limit.may_log(plugin) {
        return;
    }
    let line = &line[..cut(line)];
    match level {
        Level::Error => tracing::error!(plugin, "{line}"),
        Level::Warn => tracing::warn!(plugin, "{line}"),
        Level::Info => tracing::info!(plugin, "{line}"),
        Level::Debug | Level::Unspecified => tracing::debug!(plugin, "{line}"),
    }
}

/// Returns the length at which a line is cut: at most [`MAX_LINE`], between characters.
fn cut(line: &str) -> usize {
    let mut end = line.len().min(MAX_LINE);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// Reads bytes that the module wants to be logged.
///
/// # Errors
///
/// Returns [`ModuleError::OutOfMemory`] if they are not in its memory, or are too many.
pub(super) fn read(
    caller: &Caller<'_, Host>,
    what: &'static str,
    address: u32,
    length: u32,
) -> Result<Vec<u8>, ModuleError> {
    let outside = ModuleError::OutOfMemory {
        what,
        address,
        length,
    };
    let memory = caller
        .get_export("memory")
        .and_then(wasmi::Extern::into_memory);
    let Some(memory) = memory.filter(|_| length as usize <= MAX_MESSAGE) else {
        return Err(outside);
    };
    let start = address as usize;
    let bytes = memory
        .data(caller)
        .get(start..start.saturating_add(length as usize));
    bytes.map(<[u8]>::to_vec).ok_or(outside)
}
