//! Executables that Go's linker did not create, especially Rust programs: the manifest that the
//! derive of this toolkit embeds, or else the names of the protocol in them.

mod manifest;

use memchr::memmem::Finder;

use super::binary::Image;
use super::binary::window::{WINDOW, find, windows};
use super::protocol::{self, MANIFEST, Names};
use super::{Unreadable, is_known_plugin, opaque, sighting};
use crate::check::content::File;
use crate::sighting::{Evidence, FileKind, Role, Sighting};
use crate::unknown::UnknownProgram;
use manifest::Embedded;

/// The name of the reader in evidence.
const NAME: &str = "rust-binary";
/// Sections without constants: machine code, and tables of the linker, the unwinder and Go's
/// runtime.
const NO_CONSTANTS: [&str; 12] = [
    ".text",
    ".plt",
    ".eh_frame",
    ".eh_frame_hdr",
    ".gcc_except_table",
    ".rela.dyn",
    ".rel.dyn",
    ".relr.dyn",
    ".dynsym",
    ".gnu.hash",
    ".gopclntab",
    ".data.rel.ro.gopclntab",
];
/// Traces of rustc in a program: its name, and paths of its library's sources.
const RUST: [&[u8]; 2] = [b"rustc version ", b"/rustc/"];
/// The maximum number of manifests in one file.
const MAX_MANIFESTS: usize = 64;

/// Reads an executable; the result is empty if there is no NRI in it.
pub(super) fn read(file: &File<'_>, image: &Image<'_>) -> Result<Vec<Sighting>, Unreadable> {
    let parts = image.constants(|section| NO_CONSTANTS.contains(&section));
    // Most programs have no trace of NRI, and end here.
    if !protocol::has_traces(image.content, &parts)? {
        return Ok(Vec::new());
    }
    let found = find_manifests(image, &parts)?;
    if found.len() > MAX_MANIFESTS || found.contains(&Embedded::Damaged) {
        let why = UnknownProgram::DamagedManifest;
        let seen = opaque::hidden(file, FileKind::RustBinary, NAME, why);
        return Ok(vec![seen]);
    }
    let mut tools = found.iter().filter_map(|found| match found {
        Embedded::Tool(name) => Some(name),
        Embedded::Plugin(_) | Embedded::Damaged => None,
    });
    if let Some(name) = tools.next() {
        return Ok(vec![tool(file, name)]);
    }
    if !found.is_empty() {
        let plugins = found.iter().filter_map(|found| match found {
            Embedded::Plugin(plugin) => Some(plugin.sighting(file)),
            Embedded::Tool(_) | Embedded::Damaged => None,
        });
        return Ok(plugins.collect());
    }
    let names = protocol::read(image, &parts)?;
    Ok(if names.protocol {
        vec![own_bindings(file, kind(image, &parts)?, &names)]
    } else if names.connects() {
        vec![opaque::connects(file, kind(image, &parts)?, NAME)]
    } else {
        Vec::new()
    })
}

/// Reads only the manifests in an executable, such as a Go program with code in Rust.
pub(super) fn manifests(file: &File<'_>, image: &Image<'_>) -> Result<Vec<Sighting>, Unreadable> {
    let mut seen = read(file, image)?;
    // The interface is unknown without a manifest.
    seen.retain(is_known_plugin);
    Ok(seen)
}

/// Returns the manifests among the constants of a program, each once, up to one more than
/// [`MAX_MANIFESTS`].
fn find_manifests(image: &Image<'_>, parts: &[(u64, u64)]) -> Result<Vec<Embedded>, Unreadable> {
    let mut all = Vec::new();
    let marker = Finder::new(MANIFEST);
    for part in parts {
        windows(image.content, *part, manifest::LONGEST, |_, bytes| {
            // A manifest that starts after the window is complete in the next one.
            let places = marker.find_iter(bytes).filter(|at| *at < WINDOW as usize);
            for found in places.filter_map(|at| manifest::parse(bytes.split_at(at).1)) {
                if all.len() <= MAX_MANIFESTS && !all.contains(&found) {
                    all.push(found);
                }
            }
            None::<()>
        })?;
    }
    Ok(all)
}

/// Reports a program that speaks the protocol without this toolkit.
fn own_bindings(file: &File<'_>, kind: FileKind, names: &Names) -> Sighting {
    Sighting {
        role: Role::Plugin,
        evidence: names.describe().into_iter().map(evidence).collect(),
        ..opaque::hidden(file, kind, NAME, UnknownProgram::NoManifest)
    }
}

/// Reports a tool, such as this one, that contains the protocol in order to compare it.
fn tool(file: &File<'_>, name: &str) -> Sighting {
    let detail = "its manifest says that it is a tool, not a plugin";
    let seen = sighting(file, FileKind::RustBinary, Role::Library, evidence(detail));
    Sighting { program: Some(name.to_owned()), ..seen }
}

fn kind(image: &Image<'_>, constants: &[(u64, u64)]) -> Result<FileKind, Unreadable> {
    let comment = image.section(&[".comment"]).map(|section| (section.offset, section.size));
    let parts = comment.into_iter().chain(constants.iter().copied());
    for part in parts {
        for trace in RUST {
            if find(image.content, part, trace, |_| true)?.is_some() {
                return Ok(FileKind::RustBinary);
            }
        }
    }
    Ok(FileKind::Other)
}

fn evidence(detail: impl Into<String>) -> Evidence {
    Evidence::new(NAME, detail)
}
