//! Rust executables: the manifest that this toolkit's derive embeds, else the names of the protocol that they carry.

mod manifest;

use memchr::memmem;

use super::binary::window::{Flow, find, windows};
use super::binary::{Image, format};
use super::go_binary::is_go;
use super::{PROTOCOL, Reader, Unreadable, identity};
use crate::check::content::File;
use crate::check::sighting::{Evidence, FileKind, Interface, Role, Sighting};

/// Name of the reader in evidence.
const NAME: &str = "rust-binary";
/// Sections with constants, by format; programs without section headers are read whole.
const CONSTANTS: [&str; 4] = [".rodata", ".rdata", "__const", "__cstring"];
/// Sections that Go's linker makes: such a program is left to its own reader.
const GO: [&str; 4] = [
    ".gopclntab",
    ".go.buildinfo",
    "__gopclntab",
    "__go_buildinfo",
];
/// What rustc leaves in a program: its name among the compilers, and paths of its library's sources.
const RUSTC: [&[u8]; 2] = [b"rustc version ", b"/rustc/"];
/// The service that plugins register with, and how a program begins that carries the protos themselves.
const RUNTIME: &[u8] = b"nri.pkg.api.v1alpha1.Runtime";
const PROTO: &[u8] = b"package nri.pkg.api.v1alpha1;";
/// The most manifests that are read of one file.
const MANY: usize = 16;

/// Reads executables that Go did not link, Rust's above all.
///
/// ```
/// use nri_compat::check::evidence::Reader;
/// use nri_compat::check::evidence::rust_binary::RustBinary;
///
/// assert_eq!(RustBinary.name(), "rust-binary");
/// ```
pub struct RustBinary;

impl Reader for RustBinary {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        format(&file.head).is_some()
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let image = Image::read(file.content, &file.head)?;
        if image.section(&GO).is_some() {
            return Ok(Vec::new());
        }
        let carried = carried(&image)?;
        if !carried.manifests.is_empty() {
            let manifests = carried.manifests.iter();
            return Ok(manifests.map(|manifest| manifest.sighting(file)).collect());
        }
        Ok(match carried.protocol && !is_go(&image)? {
            true => vec![by_protocol(file, &image, &carried)?],
            false => Vec::new(),
        })
    }
}

/// What stands among the constants of a program.
#[derive(Default)]
struct Carried {
    manifests: Vec<manifest::Manifest>,
    protocol: bool,
    runtime: bool,
    proto: bool,
}

fn carried(image: &Image<'_>) -> Result<Carried, Unreadable> {
    let mut carried = Carried::default();
    let marker = memmem::Finder::new(&manifest::MAGIC);
    let protocol = memmem::Finder::new(PROTOCOL);
    for (offset, length) in constants(image) {
        windows(image.content, offset, length, manifest::LONG, |_, bytes| {
            for at in marker.find_iter(bytes) {
                carried.manifest(bytes.get(at..).unwrap_or_default());
            }
            if protocol.find(bytes).is_some() {
                carried.protocol = true;
                carried.runtime |= memmem::find(bytes, RUNTIME).is_some();
                carried.proto |= memmem::find(bytes, PROTO).is_some();
            }
            Flow::On
        })?;
    }
    Ok(carried)
}

impl Carried {
    fn manifest(&mut self, bytes: &[u8]) {
        let found = manifest::parse(bytes).filter(|found| !self.manifests.contains(found));
        self.manifests
            .extend(found.filter(|_| self.manifests.len() < MANY));
    }
}

fn constants(image: &Image<'_>) -> Vec<(u64, u64)> {
    if image.sections.is_empty() {
        return vec![(0, image.content.len())];
    }
    let sections = image.sections.iter();
    let constant = sections.filter(|section| CONSTANTS.contains(&section.name.as_str()));
    constant
        .map(|section| (section.offset, section.size))
        .collect()
}

/// A program that speaks the protocol without this toolkit.
fn by_protocol(
    file: &File<'_>,
    image: &Image<'_>,
    carried: &Carried,
) -> Result<Sighting, Unreadable> {
    let plugin = carried.runtime && !carried.proto;
    let (index, name) = if plugin {
        identity(&file.name)
    } else {
        (None, None)
    };
    let mut seen = Sighting {
        place: file.place.clone(),
        kind: if is_rust(image)? {
            FileKind::RustBinary
        } else {
            FileKind::Other
        },
        role: if plugin { Role::Plugin } else { Role::Library },
        index,
        name,
        ..Sighting::default()
    };
    if plugin {
        let reason =
            "it speaks the protocol, but carries no manifest that says which calls it answers";
        seen.interface = Interface::Unknown(reason.into());
        seen.evidence
            .push(evidence("it names the service that plugins register with"));
    } else {
        let what = if carried.proto { "protos" } else { "messages" };
        seen.evidence.push(evidence(format!(
            "it carries NRI's {what}, but no service of it"
        )));
    }
    Ok(seen)
}

fn is_rust(image: &Image<'_>) -> Result<bool, Unreadable> {
    let comment = image
        .section(&[".comment"])
        .map(|section| (section.offset, section.size));
    for place in comment.into_iter().chain(constants(image)) {
        for needle in RUSTC {
            if find(image.content, place, needle, |_| true)?.is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn evidence(detail: impl Into<String>) -> Evidence {
    Evidence {
        reader: NAME,
        detail: detail.into(),
    }
}
