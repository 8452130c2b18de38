//! WebAssembly modules: which functions of NRI's plugin interface they export.
//!
//! Own code, as a table of exports is a handful of counted strings; crates that read modules want them whole in memory.
//! Format: <https://webassembly.github.io/spec/core/binary/modules.html>.

use super::binary::bytes::leb128;
use super::binary::window::part;
use super::{Reader, Unreadable, identity};
use crate::check::content::File;
use crate::check::events::{EVENTS, EventSet, proto_name};
use crate::check::sighting::{
    Built, Certainty, Events, Evidence, FileKind, Interface, Role, Sighting,
};
use crate::check::skipped::SkipKind;

/// Name of the reader in evidence.
const NAME: &str = "wasm";
/// Magic and version 1.
const MAGIC: &[u8] = b"\0asm\x01\0\0\0";
/// Id of the section of exports, and of a function among them.
const EXPORTS: u8 = 7;
const FUNCTION: u8 = 0;
/// The function by which a module says which plugin interface it was made for; what the names of all begin with.
const VERSION: &str = "plugin_api_version";
const PREFIX: &str = "plugin_";
/// The most sections that are skipped, exports that are read, and bytes of them.
const MANY: usize = 1 << 16;
const LARGE: u64 = 1 << 22;
/// Releases that brought modules, pod updates and validation, an RPC for each event.
const FIRST: &str = "v0.9.0";
const POD_UPDATES: &str = "v0.10.0";
const DEDICATED: &str = "v0.12.0";

/// Reads WebAssembly modules.
///
/// ```
/// use nri_compat::check::content::File;
/// use nri_compat::check::evidence::Reader;
/// use nri_compat::check::evidence::wasm::Wasm;
/// use nri_compat::check::sighting::Interface;
///
/// // A module that exports function 0 as `plugin_api_version`.
/// let module = b"\0asm\x01\0\0\0\x07\x16\x01\x12plugin_api_version\0\0";
/// let content: &[u8] = module;
/// let file = File { place: "10-a".into(), name: "10-a".into(), head: module.to_vec(), content: &content, disk: None };
/// assert!(Wasm.recognises(&file));
/// let seen = Wasm.read(&file).expect("whole");
/// assert_eq!(seen[0].interface, Interface::Exports(vec!["plugin_api_version".into()]));
/// ```
pub struct Wasm;

impl Reader for Wasm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        file.head.starts_with(MAGIC)
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let mut exports = exports(file)?;
        exports.retain(|name| name.starts_with(PREFIX));
        let is_plugin = exports.iter().any(|name| name == VERSION);
        Ok(if is_plugin {
            vec![sighting(file, exports)]
        } else {
            Vec::new()
        })
    }
}

/// Names of the exported functions, in the module's order.
fn exports(file: &File<'_>) -> Result<Vec<String>, Unreadable> {
    let damaged = || Unreadable::new(SkipKind::Broken, "the module is damaged or cut short");
    let mut at = MAGIC.len() as u64;
    for _ in 0..MANY {
        let header = part(file.content, at, 16)?;
        let Some((id, rest)) = header.split_first() else {
            return Ok(Vec::new());
        };
        let (size, taken) = leb128(rest).ok_or_else(damaged)?;
        let start = at + 1 + taken as u64;
        if *id == EXPORTS {
            let bytes = part(file.content, start, size.min(LARGE))?;
            return functions(&bytes).ok_or_else(damaged);
        }
        at = start.checked_add(size).ok_or_else(damaged)?;
    }
    Err(damaged())
}

fn functions(bytes: &[u8]) -> Option<Vec<String>> {
    let (count, mut rest) = number(bytes)?;
    let mut names = Vec::new();
    for _ in 0..usize::try_from(count).ok()?.min(MANY) {
        let (length, after) = number(rest)?;
        let (name, after) = after.split_at_checked(usize::try_from(length).ok()?)?;
        let (kind, after) = after.split_first()?;
        (_, rest) = number(after)?;
        if *kind == FUNCTION {
            names.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    Some(names)
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (value, taken) = leb128(bytes)?;
    Some((value, bytes.get(taken..)?))
}

fn sighting(file: &File<'_>, exports: Vec<String>) -> Sighting {
    let (index, name) = identity(&file.name);
    let mut events = EventSet::default();
    for rpc in EVENTS.iter().filter(|rpc| exports.contains(&export(rpc))) {
        events.insert(rpc);
    }
    Sighting {
        place: file.place.clone(),
        kind: FileKind::WasmModule,
        role: Role::Plugin,
        name,
        index,
        nri: built(&exports),
        // An exported function may do nothing: what counts is what the module subscribes to when it runs.
        events: Events {
            names: events.names(),
            certainty: Certainty::ByName,
        },
        evidence: vec![Evidence {
            reader: NAME,
            detail: format!("it exports {}", exports.join(", ")),
        }],
        interface: Interface::Exports(exports),
        ..Sighting::default()
    }
}

fn built(exports: &[String]) -> Built {
    let has = |rpc: &str| exports.contains(&export(rpc));
    let (at_least, below) = if has("RunPodSandbox") {
        (DEDICATED, None)
    } else if has("ValidateContainerAdjustment") {
        (POD_UPDATES, Some(DEDICATED))
    } else {
        (FIRST, Some(DEDICATED))
    };
    Built {
        version: None,
        at_least: Some(at_least.to_owned()),
        below: below.map(str::to_owned),
    }
}

/// The function that a module exports for an RPC: `plugin_run_pod_sandbox` for `RunPodSandbox`.
fn export(rpc: &str) -> String {
    format!("{PREFIX}{}", proto_name(rpc).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_short_it_is_damaged_or_has_no_exports() {
        let module =
            b"\0asm\x01\0\0\0\x01\x01\x00\x07\x1d\x02\x03mem\x02\0\x12plugin_api_version\0\x80\x01";
        let read = |bytes: &[u8]| {
            let file = File {
                place: "a".into(),
                name: "a".into(),
                head: bytes.to_vec(),
                content: &bytes,
                disk: None,
            };
            exports(&file)
        };
        assert_eq!(read(module), Ok(vec!["plugin_api_version".to_owned()]));
        for end in 13..module.len() {
            assert!(read(&module[..end]).is_err(), "cut at {end}");
        }
        assert_eq!(read(&module[..8]), Ok(Vec::new()));
    }
}
