//! The functions that a module may import: `env.log`, which is the log of the runtime, and as much
//! of WASI preview 1 as the runtimes of Go and TinyGo need to run: clocks, random numbers,
//! sleeping, and standard error, which goes to the log. There are no arguments, no environment, no
//! files and no network, as in the reference.
//!
//! The crate `wasmi_wasi` would bring files and sockets that a plugin must not have, and some
//! seventy dependencies.

use std::fs::File;
use std::io::Read as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nri::codec::Message as _;
use wasmi::{Caller, ExternType, Linker, Module as Code, Val, ValType};

use super::error::ModuleError;
use super::limits::Host;
use nri::api::LogRequest;
use nri::api::log_request::Level;
use nri::wire::MAX_MESSAGE;

/// Longest line that is logged, in bytes.
const MAX_LINE: usize = 64 << 10;

/// The module that the functions are imported from.
const MODULE: &str = "wasi_snapshot_preview1";

/// An [error number](https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#errno).
type Errno = u32;

const SUCCESS: Errno = 0;
const BADF: Errno = 8;
const FAULT: Errno = 21;
const INVAL: Errno = 28;
const NOSYS: Errno = 52;

/// The result of a function: an error number, or the end of the call.
type Answer = Result<Errno, wasmi::Error>;

/// Random bytes, buffers or subscriptions that one call may ask for.
const MAX_BYTES: u32 = 64 << 10;
const MAX_ITEMS: u32 = 1024;

/// Bytes of a buffer of `fd_write`, and of a subscription and an event of `poll_oneoff`.
const BUFFER: u32 = 8;
const SUBSCRIPTION: u32 = 48;
const EVENT: usize = 32;

/// Offset of the kind of a subscription, and the kind of those for a clock.
const KIND: usize = 8;
const CLOCK: u8 = 0;

/// Defines the functions that a module imports. Those of WASI that are not here return `ENOSYS`.
///
/// # Errors
///
/// Returns an error of the engine, which has no reason to return one.
pub(super) fn define(linker: &mut Linker<Host>, code: &Code) -> Result<(), wasmi::Error> {
    add(linker)?;
    for import in code.imports().filter(|import| import.module() == MODULE) {
        let ExternType::Func(ty) = import.ty() else {
            continue;
        };
        if ty.results() == [ValType::I32] {
            // An error means that the function is defined already.
            let _ = linker.func_new(MODULE, import.name(), ty.clone(), |_, _, results| {
                results[0] = Val::I32(NOSYS as i32);
                Ok(())
            });
        }
    }
    Ok(())
}

fn add(linker: &mut Linker<Host>) -> Result<(), wasmi::errors::LinkerError> {
    linker
        .func_wrap("env", "log", log)?
        .func_wrap(MODULE, "args_get", |_: u32, _: u32| SUCCESS)?
        .func_wrap(MODULE, "args_sizes_get", no_strings)?
        .func_wrap(MODULE, "clock_time_get", clock_time)?
        .func_wrap(MODULE, "environ_get", |_: u32, _: u32| SUCCESS)?
        .func_wrap(MODULE, "environ_sizes_get", no_strings)?
        .func_wrap(MODULE, "fd_fdstat_get", fd_status)?
        .func_wrap(MODULE, "fd_fdstat_set_flags", |fd: u32, _: u32| standard(fd))?
        .func_wrap(MODULE, "fd_prestat_get", |_: u32, _: u32| BADF)?
        .func_wrap(MODULE, "fd_write", fd_write)?
        .func_wrap(MODULE, "poll_oneoff", poll)?
        .func_wrap(MODULE, "proc_exit", exit)?
        .func_wrap(MODULE, "random_get", random)?
        .func_wrap(MODULE, "sched_yield", || SUCCESS)?;
    Ok(())
}

/// Logs an encoded LogRequest. Returns address and length of an encoded Empty, which has no bytes.
fn log(mut caller: Caller<'_, Host>, address: u32, length: u32) -> Result<u64, wasmi::Error> {
    caller.data().limit.check()?;
    let encoded = read(&caller, "log", address, length)?;
    let request = LogRequest::decode(&*encoded)
        .map_err(|error| ModuleError::Failed(format!("log: {error}")))?;
    write(caller.data_mut(), request.level(), &request.msg);
    Ok(0)
}

/// Writes a line to the log, unless there were too many. A long line is cut.
fn write(host: &mut Host, level: Level, line: &str) {
    let plugin = &*host.plugin;
    if !host.limit.may_log(plugin) {
        return;
    }
    let line = &line[..cut(line)];
    match level {
        Level::Error => tracing::error!(plugin, "{line}"),
        Level::Warn => tracing::warn!(plugin, "{line}"),
        Level::Info => tracing::info!(plugin, "{line}"),
        // Also an unspecified level, and one that a later release of NRI adds.
        _ => tracing::debug!(plugin, "{line}"),
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
/// Returns an error if they are not in its memory, or are too many.
fn read(
    caller: &Caller<'_, Host>,
    what: &'static str,
    address: u32,
    length: u32,
) -> Result<Vec<u8>, ModuleError> {
    let outside = ModuleError::outside(what, address, length);
    let memory = caller.get_export("memory").and_then(wasmi::Extern::into_memory);
    let Some(memory) = memory.filter(|_| length as usize <= MAX_MESSAGE) else {
        return Err(outside);
    };
    let start = address as usize;
    let bytes = memory.data(caller).get(start..start.saturating_add(length as usize));
    bytes.map(<[u8]>::to_vec).ok_or(outside)
}

/// Returns success for standard input, output and error.
fn standard(fd: u32) -> Errno {
    if fd <= 2 { SUCCESS } else { BADF }
}

/// Writes the number of strings and their bytes: none.
fn no_strings(mut caller: Caller<'_, Host>, count: u32, bytes: u32) -> Errno {
    match store(&mut caller, count, &[0; 4]) {
        SUCCESS => store(&mut caller, bytes, &[0; 4]),
        error => error,
    }
}

fn clock_time(mut caller: Caller<'_, Host>, clock: u32, _precision: u64, time: u32) -> Errno {
    let Some(now) = now(clock, caller.data()) else {
        return INVAL;
    };
    let nanoseconds = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
    store(&mut caller, time, &nanoseconds.to_le_bytes())
}

/// Returns the time of the clock of the day or the monotonic clock.
fn now(clock: u32, host: &Host) -> Option<Duration> {
    match clock {
        0 => Some(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()),
        1 => Some(host.epoch.elapsed()),
        _ => None,
    }
}

/// Writes the status of a standard stream: a character device without flags or rights.
fn fd_status(mut caller: Caller<'_, Host>, fd: u32, status: u32) -> Errno {
    const CHARACTER_DEVICE: u8 = 2;
    let mut bytes = [0; 24];
    bytes[0] = CHARACTER_DEVICE;
    match standard(fd) {
        SUCCESS => store(&mut caller, status, &bytes),
        error => error,
    }
}

/// Writes buffers to a standard stream: standard error goes to the log, where Go reports panics.
fn fd_write(
    mut caller: Caller<'_, Host>,
    fd: u32,
    buffers: u32,
    count: u32,
    written: u32,
) -> Answer {
    caller.data().limit.check()?;
    if !matches!(fd, 1 | 2) {
        return Ok(BADF);
    }
    if count > MAX_ITEMS {
        return Ok(INVAL);
    }
    let Ok(list) = read(&caller, "fd_write", buffers, count * BUFFER) else {
        return Ok(FAULT);
    };
    let mut text = Vec::new();
    for buffer in list.chunks_exact(BUFFER as usize) {
        let (address, length) = (number(buffer, 0) as u32, number(buffer, 4) as u32);
        // The rest is written with the next call.
        let room = MAX_BYTES - text.len() as u32;
        match read(&caller, "fd_write", address, length.min(room)) {
            Ok(bytes) => text.extend(bytes),
            Err(_) => return Ok(FAULT),
        }
    }
    if fd == 2 {
        let lines = String::from_utf8_lossy(&text);
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            write(caller.data_mut(), Level::Warn, line);
        }
    }
    Ok(store(&mut caller, written, &(text.len() as u32).to_le_bytes()))
}

/// Returns the number at an offset, of up to eight bytes.
fn number(bytes: &[u8], at: usize) -> u64 {
    bytes.iter().skip(at).take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Waits for the earliest clock. Other subscriptions fail.
fn poll(
    mut caller: Caller<'_, Host>,
    subscriptions: u32,
    events: u32,
    count: u32,
    occurred: u32,
) -> Answer {
    if count == 0 || count > MAX_ITEMS {
        return Ok(INVAL);
    }
    let Ok(bytes) = read(&caller, "poll_oneoff", subscriptions, count * SUBSCRIPTION) else {
        return Ok(FAULT);
    };
    let asked: Vec<_> = bytes
        .chunks_exact(SUBSCRIPTION as usize)
        .map(|subscription| (wait(subscription, caller.data()), subscription))
        .collect();
    let earliest = asked.iter().map(|(wait, _)| *wait).min().unwrap_or_default();
    caller.data().limit.sleep(earliest)?;
    let due: Vec<u8> = asked
        .iter()
        .filter(|(wait, _)| *wait == earliest)
        .flat_map(|(_, subscription)| event(subscription))
        .collect();
    let number = (due.len() / EVENT) as u32;
    Ok(match store(&mut caller, events, &due) {
        SUCCESS => store(&mut caller, occurred, &number.to_le_bytes()),
        error => error,
    })
}

/// Returns how long a subscription waits: not at all if it is not for a clock.
fn wait(subscription: &[u8], host: &Host) -> Duration {
    if subscription[KIND] != CLOCK {
        return Duration::ZERO;
    }
    let clock = number(subscription, 16) as u32;
    let time = Duration::from_nanos(number(subscription, 24));
    let is_absolute = number(subscription, 40) & 1 == 1;
    if is_absolute {
        let now = now(clock, host).unwrap_or_else(|| host.epoch.elapsed());
        time.saturating_sub(now)
    } else {
        time
    }
}

/// Returns the event of a subscription: its user data, an error unless it is for a clock, and its
/// kind.
fn event(subscription: &[u8]) -> [u8; EVENT] {
    let kind = subscription[KIND];
    let error = if kind == CLOCK { SUCCESS } else { BADF };
    let mut event = [0; EVENT];
    event[..KIND].copy_from_slice(&subscription[..KIND]);
    event[8..10].copy_from_slice(&(error as u16).to_le_bytes());
    event[10] = kind;
    event
}

fn exit(code: u32) -> Result<(), wasmi::Error> {
    let message = format!("the plugin exited with status {code}");
    Err(ModuleError::Failed(message).into())
}

fn random(mut caller: Caller<'_, Host>, address: u32, length: u32) -> Errno {
    if length > MAX_BYTES {
        return INVAL;
    }
    let mut bytes = vec![0; length as usize];
    let random = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    match random {
        Ok(()) => store(&mut caller, address, &bytes),
        Err(_) => NOSYS,
    }
}

/// Writes bytes to the memory of the module.
fn store(caller: &mut Caller<'_, Host>, address: u32, bytes: &[u8]) -> Errno {
    let memory = caller.get_export("memory").and_then(wasmi::Extern::into_memory);
    let written = memory.map(|memory| memory.write(caller, address as usize, bytes));
    if matches!(written, Some(Ok(()))) { SUCCESS } else { FAULT }
}
