//! WebAssembly modules: the functions of NRI's plugin interface that they export.
//!
//! This is our own code because the crate `wasmparser` returns a section only when all of its bytes
//! are in memory, and the code of a plugin has megabytes. All that is needed is to walk section
//! headers and one table of length-prefixed strings. Format:
//! <https://webassembly.github.io/spec/core/binary/modules.html>.

use super::binary::bytes::leb128;
use super::binary::window::{find, part};
use super::{Reader, Unreadable, identity, opaque, sighting};
use crate::check::content::File;
use crate::check::events::in_order;
use crate::facts;
use crate::facts::EVENTS;
use crate::magic::{ProgramFormat, WASM};
use crate::sighting::{Built, Certainty, Events, Evidence, FileKind, Interface, Role, Sighting};
use crate::unknown::UnknownProgram;
use crate::wasm_export::wasm_export;

/// The name of the reader in evidence.
const NAME: &str = "wasm";
const MODULE: &[u8] = b"\x01\0\0\0";
const COMPONENT: &[u8] = b"\x0d\0\x01\0";
/// The size of magic and version in bytes.
const HEADER: u64 = 8;
/// Ids of sections: custom ones, functions, exports, code; and of a function among the exports.
const CUSTOM: u8 = 0;
const FUNCTIONS: u8 = 3;
const EXPORTS: u8 = 7;
const CODE: u8 = 10;
const FUNCTION: u8 = 0;
/// The custom section of object files, which are not modules yet.
const LINKING: &[u8] = b"\x07linking";
/// The function that returns the version of the plugin interface.
pub(in crate::check) const VERSION: &str = "plugin_api_version";
const PREFIX: &str = "plugin_";
/// The maximum number of sections and exports.
const MAX_ENTRIES: usize = 1 << 16;
const MAX_TABLE: u64 = 1 << 22;

/// The reader of WebAssembly modules.
pub(in crate::check) struct Wasm;

impl Reader for Wasm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        ProgramFormat::detect(&file.head) == Some(ProgramFormat::Wasm)
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let mut exports = match module(file)? {
            WasmModule::Whole(exports) => exports,
            WasmModule::Object => return Ok(Vec::new()),
            WasmModule::Damaged(why) => return Ok(vec![damaged(file, why)?]),
        };
        let is_named = identity(&file.name).0.is_some();
        if !is_named && !exports.iter().any(|name| is_of_nri(name)) {
            return Ok(Vec::new());
        }
        exports.retain(|name| name.starts_with(PREFIX));
        Ok(vec![plugin(file, exports)])
    }
}

/// Returns true if a function occurs only in NRI's plugin interface: its version, or the handler of
/// an event.
fn is_of_nri(name: &str) -> bool {
    let mut rpcs = EVENTS.iter().chain(&["StateChange"]);
    name == VERSION || rpcs.any(|rpc| wasm_export(rpc) == name)
}

/// The relevant parts of a module.
enum WasmModule {
    /// The names of the functions that it exports, in order.
    Whole(Vec<String>),
    /// Not yet a module: the output of a compiler for a linker.
    Object,
    /// Not a module that can be loaded, with the reason.
    Damaged(UnknownProgram),
}

const CUT_SHORT: WasmModule = WasmModule::Damaged(UnknownProgram::DamagedModule);

fn module(file: &File<'_>) -> Result<WasmModule, Unreadable> {
    let version = part(file.content, WASM.len() as u64, 4)?;
    if *version == *COMPONENT {
        return Ok(WasmModule::Damaged(UnknownProgram::Component));
    }
    if *version != *MODULE {
        return Ok(CUT_SHORT);
    }
    let Some(sections) = sections(file)? else {
        return Ok(CUT_SHORT);
    };
    for section in sections.iter().filter(|section| section.id == CUSTOM) {
        if part(file.content, section.start, 8)?.starts_with(LINKING) {
            return Ok(WasmModule::Object);
        }
    }
    let of = |id: u8| sections.iter().filter(move |section| section.id == id);
    if of(FUNCTIONS).count() != of(CODE).count() {
        return Ok(CUT_SHORT);
    }
    let mut tables = of(EXPORTS);
    Ok(match (tables.next(), tables.next()) {
        (Some(table), None) if table.size <= MAX_TABLE => {
            let bytes = part(file.content, table.start, table.size)?;
            functions(&bytes).map_or(CUT_SHORT, WasmModule::Whole)
        }
        (None, _) => WasmModule::Damaged(UnknownProgram::NoExports),
        _ => CUT_SHORT,
    })
}

/// A section of a module.
struct WasmSection {
    id: u8,
    start: u64,
    size: u64,
}

/// Reads the headers of all sections, 16 bytes each, without the code between them. `wasmparser`
/// would do this with 20 KiB and two crates more, and the same loop around it, as it asks for the
/// bytes that it needs.
///
/// Returns `None` if the last one does not end with the file.
fn sections(file: &File<'_>) -> Result<Option<Vec<WasmSection>>, Unreadable> {
    let mut sections = Vec::new();
    let mut at = HEADER;
    while at < file.content.len() {
        let header = part(file.content, at, 16)?;
        let section = section(&header, at).filter(|section| {
            let end = section.start.checked_add(section.size);
            end.is_some_and(|end| end <= file.content.len())
        });
        let Some(section) = section.filter(|_| sections.len() < MAX_ENTRIES) else {
            return Ok(None);
        };
        at = section.start + section.size;
        sections.push(section);
    }
    Ok(Some(sections))
}

/// Reads the header of the section at this offset.
fn section(header: &[u8], at: u64) -> Option<WasmSection> {
    let (id, rest) = header.split_first()?;
    let (size, taken) = leb128(rest)?;
    Some(WasmSection { id: *id, start: at + 1 + taken as u64, size })
}

fn functions(bytes: &[u8]) -> Option<Vec<String>> {
    let (count, mut rest) = number(bytes)?;
    let count = usize::try_from(count).ok()?;
    if count > MAX_ENTRIES {
        return None;
    }
    let mut names = Vec::new();
    for _ in 0..count {
        let (length, after) = number(rest)?;
        let (name, after) = after.split_at_checked(usize::try_from(length).ok()?)?;
        let (kind, after) = after.split_first()?;
        (_, rest) = number(after)?;
        if *kind == FUNCTION {
            names.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    rest.is_empty().then_some(names)
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (value, taken) = leb128(bytes)?;
    Some((value, bytes.get(taken..)?))
}

/// Reports a module that cannot be loaded. If it has a name of the plugin interface, it was a
/// plugin.
fn damaged(file: &File<'_>, why: UnknownProgram) -> Result<Sighting, Unreadable> {
    let mut seen = opaque::hidden(file, FileKind::WasmModule, NAME, why);
    let all = (0, file.content.len());
    if find(file.content, all, PREFIX.as_bytes(), |_| true)?.is_some() {
        seen.role = Role::Plugin;
        seen.evidence
            .push(Evidence::new(NAME, "it contains names of NRI's plugin interface (plugin_…)"));
    }
    Ok(seen)
}

fn plugin(file: &File<'_>, exports: Vec<String>) -> Sighting {
    let detail = if exports.is_empty() {
        "it exports no function of NRI's plugin interface".to_owned()
    } else {
        format!("it exports {}", exports.join(", "))
    };
    Sighting {
        nri: built(&exports),
        // An exported function may do nothing: what counts is what the module subscribes to when it
        // runs.
        events: Events {
            names: in_order(|rpc| exports.contains(&wasm_export(rpc))),
            certainty: Certainty::ByName,
        },
        interface: Interface::Exports(exports),
        ..sighting(file, FileKind::WasmModule, Role::Plugin, Evidence::new(NAME, detail))
    }
}

fn built(exports: &[String]) -> Built {
    let has = |rpc: &str| exports.contains(&wasm_export(rpc));
    let (at_least, below) = if has("RunPodSandbox") {
        (facts::DEDICATED, None)
    } else if has("ValidateContainerAdjustment") {
        (facts::VALIDATION, Some(facts::DEDICATED))
    } else {
        (facts::WASM, Some(facts::DEDICATED))
    };
    Built::range(Some(at_least), below)
}
