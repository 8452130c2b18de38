//! Executables that Go's linker did not create, especially Rust programs: the manifest that the
//! derive of this toolkit embeds, or else the names of the protocol in them.

mod manifest;

use memchr::memmem::Finder;

use super::binary::Image;
use super::binary::window::{Flow, WINDOW, find, windows};
use super::protocol::{self, CONNECTS, PROTOCOL};
use super::{Unreadable, opaque, sighting};
use crate::check::content::File;
use crate::sighting::{Evidence, FileKind, Interface, Role, Sighting};
use manifest::Embedded;

/// The name of the reader in evidence.
const NAME: &str = "rust-binary";
/// Traces of rustc in a program: its name, and paths of its library's sources.
const RUSTC: [&[u8]; 2] = [b"rustc version ", b"/rustc/"];
/// Sections without constants: machine code, and tables of the linker, the unwinder and Go's runtime.
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
/// The maximum number of manifests in one file.
const MAX_MANIFESTS: usize = 64;

/// Reads an executable; the result is empty if there is no NRI in it.
pub(super) fn read(file: &File<'_>, image: &Image<'_>) -> Result<Vec<Sighting>, Unreadable> {
    let carried = carried(image)?;
    if carried.manifests.len() > MAX_MANIFESTS || carried.damaged {
        let reason = "a manifest of a plugin in it is damaged, or it has too many of them";
        return Ok(vec![opaque::hidden(
            file,
            FileKind::RustBinary,
            NAME,
            reason,
        )]);
    }
    if carried.tool {
        return Ok(vec![tool(file)]);
    }
    if !carried.manifests.is_empty() {
        let manifests = carried.manifests.iter();
        return Ok(manifests.map(|manifest| manifest.sighting(file)).collect());
    }
    if carried.protocol {
        return Ok(vec![own_bindings(file, image)?]);
    }
    if carried.connects {
        return Ok(vec![opaque::connects(file, kind(image)?, NAME)]);
    }
    Ok(Vec::new())
}

/// Reads only the manifests in an executable, such as a Go program with code in Rust.
pub(super) fn manifests(file: &File<'_>, image: &Image<'_>) -> Result<Vec<Sighting>, Unreadable> {
    let seen = read(file, image)?.into_iter();
    let has_manifest = |seen: &Sighting| !matches!(seen.interface, Interface::Unknown(_));
    Ok(seen
        .filter(|seen| seen.role == Role::Plugin && has_manifest(seen))
        .collect())
}

/// The traces of NRI among the constants of a program.
#[derive(Default)]
struct Carried {
    manifests: Vec<manifest::Manifest>,
    /// True if it contains a manifest that cannot be read.
    damaged: bool,
    /// True if it identifies itself as a tool that knows NRI and is not a plugin.
    tool: bool,
    protocol: bool,
    connects: bool,
}

fn carried(image: &Image<'_>) -> Result<Carried, Unreadable> {
    let mut carried = Carried::default();
    let marker = Finder::new(&manifest::MAGIC);
    let protocol = Finder::new(PROTOCOL);
    let connects = CONNECTS.map(Finder::new);
    for (offset, length) in constants(image) {
        windows(
            image.content,
            offset,
            length,
            manifest::LONGEST,
            |_, bytes| {
                // A manifest that starts after the window is complete in the next one.
                for at in marker.find_iter(bytes).filter(|at| *at < WINDOW as usize) {
                    carried.manifest(bytes.split_at(at).1);
                }
                carried.protocol |= protocol.find(bytes).is_some();
                carried.connects |= connects.iter().any(|name| name.find(bytes).is_some());
                Flow::On
            },
        )?;
    }
    Ok(carried)
}

impl Carried {
    fn manifest(&mut self, bytes: &[u8]) {
        match manifest::parse(bytes) {
            Some(Embedded::Plugin(found)) if self.manifests.contains(&found) => {}
            Some(Embedded::Plugin(found)) if self.manifests.len() <= MAX_MANIFESTS => {
                self.manifests.push(*found);
            }
            Some(Embedded::Plugin(_)) => {}
            Some(Embedded::Damaged) => self.damaged = true,
            Some(Embedded::Tool) => self.tool = true,
            None => {}
        }
    }
}

fn constants(image: &Image<'_>) -> Vec<(u64, u64)> {
    image.constants(|section| NO_CONSTANTS.contains(&section))
}

/// Reports a program that speaks the protocol without this toolkit.
fn own_bindings(file: &File<'_>, image: &Image<'_>) -> Result<Sighting, Unreadable> {
    let reason =
        "speaks NRI's protocol, but has no manifest; cannot determine which calls it answers";
    let mut seen = opaque::hidden(file, kind(image)?, NAME, reason);
    seen.role = Role::Plugin;
    let names = protocol::read(image, &constants(image))?;
    seen.evidence = names.describe().into_iter().map(evidence).collect();
    Ok(seen)
}

/// Reports a tool, such as this one, that contains the protocol in order to compare it.
fn tool(file: &File<'_>) -> Sighting {
    let detail = "its manifest says that it is a tool, not a plugin";
    sighting(file, FileKind::RustBinary, Role::Library, evidence(detail))
}

fn kind(image: &Image<'_>) -> Result<FileKind, Unreadable> {
    let comment = image
        .section(&[".comment"])
        .map(|section| (section.offset, section.size));
    for place in comment.into_iter().chain(constants(image)) {
        for needle in RUSTC {
            if find(image.content, place, needle, |_| true)?.is_some() {
                return Ok(FileKind::RustBinary);
            }
        }
    }
    Ok(FileKind::Other)
}

fn evidence(detail: impl Into<String>) -> Evidence {
    Evidence::new(NAME, detail)
}
