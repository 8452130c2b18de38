//! Reports executables that cannot be read, or hide their contents.

use super::binary::bytes::Layout;
use super::binary::window::find;
use super::binary::{Appended, Image, appended, embedded};
use super::protocol::{self, PROTOCOL};
use super::{Unreadable, identity, sighting};
use crate::check::content::File;
use crate::sighting::{Evidence, FileKind, Interface, Role, Sighting};

const NAME: &str = "program";
/// The mark in the headers of programs packed with UPX.
const UPX: &[u8] = b"UPX!";
/// The maximum offset of the UPX mark in bytes, with a margin.
const UPX_WITHIN: usize = 1024;
/// Marks in programs linked by Go.
const GO: [&[u8]; 2] = [b"\xff Go buildinf:", b"\xff Go build ID: \""];
/// Traces of rustc in a program: its name, and paths of its library's sources.
pub(super) const RUST: [&[u8]; 2] = [b"rustc version ", b"/rustc/"];

/// Reports an executable packed with UPX, of which nothing can be read.
pub(super) fn packed(file: &File<'_>) -> Option<Sighting> {
    let head = file.head.get(..UPX_WITHIN).unwrap_or(&file.head);
    memchr::memmem::find(head, UPX)?;
    let reason = "packed by UPX; unpack it (upx -d) and check again";
    Some(hidden(file, FileKind::Other, NAME, reason))
}

/// Reports a truncated executable that ends before its loaded parts, with the names of the protocol
/// in it.
pub(super) fn cut_short(file: &File<'_>, image: &Image<'_>) -> Result<Sighting, Unreadable> {
    let (length, missing) = (image.content.len(), image.missing());
    let reason = if missing > 0 {
        format!(
            "the file is cut short: it has {length} of at least {} bytes",
            length + missing
        )
    } else {
        "its headers are damaged".to_owned()
    };
    let all = [(0, length)];
    let kind = if has_mark(image, all, &GO)? {
        FileKind::GoBinary
    } else if has_mark(image, all, &RUST)? {
        FileKind::RustBinary
    } else {
        FileKind::Other
    };
    let mut seen = hidden(file, kind, NAME, &reason);
    with_protocol(&mut seen, NAME, image)?;
    Ok(seen)
}

/// Returns true if parts of a program contain one of these marks.
pub(super) fn has_mark(
    image: &Image<'_>,
    parts: impl IntoIterator<Item = (u64, u64)>,
    marks: &[&[u8]],
) -> Result<bool, Unreadable> {
    for part in parts {
        for mark in marks {
            if find(image.content, part, mark, |_| true)?.is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Reports a Mach-O file for several architectures that is cut short or has a trace of NRI. Nodes run Linux, so its programs
/// are not read.
pub(super) fn universal(
    file: &File<'_>,
    image: &Image<'_>,
) -> Result<Option<Sighting>, Unreadable> {
    let length = image.content.len();
    if universal_end(&file.head).is_none_or(|end| end > length) {
        return cut_short(file, image).map(Some);
    }
    let reason = "a program for several architectures of macOS; build it for Linux and check that";
    let has_traces = protocol::has_traces(image, &[(0, length)])?;
    Ok(has_traces.then(|| hidden(file, FileKind::Other, NAME, reason)))
}

/// Returns the end of the last program in a Mach-O file for several architectures, by the table at its beginning.
fn universal_end(head: &[u8]) -> Option<u64> {
    let layout = Layout {
        wide: head.get(3) == Some(&0xbf),
        big: true,
    };
    let entry = if layout.wide { 32 } else { 20 };
    let ends = (0..usize::from(*head.get(7)?)).map(|place| {
        let offset = 16 + place * entry;
        let size = layout.pointer(head, offset + layout.word())?;
        layout.pointer(head, offset)?.checked_add(size)
    });
    ends.collect::<Option<Vec<u64>>>()?.into_iter().max()
}

/// Reports what a complete executable contains besides the code that was read: appended data, or
/// another program among its constants, if it may start programs.
pub(super) fn besides(
    file: &File<'_>,
    image: &Image<'_>,
    is_elf: bool,
    may_start_programs: bool,
) -> Result<Option<Sighting>, Unreadable> {
    if let Some(appended) = appended(image, is_elf)? {
        let mut seen = hidden(file, FileKind::Other, NAME, &reason_of(appended));
        with_protocol_in(&mut seen, NAME, image, (appended.offset, appended.size))?;
        return Ok(Some(seen));
    }
    if !may_start_programs {
        return Ok(None);
    }
    let mut parts = image.constants(is_code);
    if image.headers.stripped {
        let end = image.headers.end;
        parts.push((end, image.content.len().saturating_sub(end)));
    }
    Ok(embedded(image, &parts)?.map(|what| {
        let reason = format!("it contains {what}, which was not read; check that one as well");
        hidden(file, FileKind::Other, NAME, &reason)
    }))
}

fn reason_of(appended: Appended) -> String {
    let size = appended.size;
    match appended.format {
        Some(format) => format!(
            "{size} bytes of packed data ({format}) are appended to it and were not read; unpack them and check again"
        ),
        None => format!("{size} bytes of unknown data are appended to it and were not read"),
    }
}

/// Returns true if a section has no constants, but code.
fn is_code(section: &str) -> bool {
    section == ".text"
}

/// Reports a complete executable without traces of NRI that has no section headers and is from an
/// unknown toolchain.
pub(super) fn unexplained(file: &File<'_>, image: &Image<'_>) -> Option<Sighting> {
    image.headers.stripped.then(|| {
        let reason = "it has no section headers and no trace of a known toolchain (packed?)";
        hidden(file, FileKind::Other, NAME, reason)
    })
}

/// Reports a program that can connect to a runtime but does not contain the name of the protocol:
/// it may construct the name at run time.
pub(super) fn connects(file: &File<'_>, kind: FileKind, reader: &'static str) -> Sighting {
    let reason = "contains NRI's socket or a variable that runtimes set for plugins, but not the \
         name of the protocol; cannot determine what it is";
    hidden(file, kind, reader, reason)
}

/// Adds the names of NRI's protocol in a program. If it contains the name of the protocol, it is
/// assumed to be a plugin.
pub(super) fn with_protocol(
    seen: &mut Sighting,
    reader: &'static str,
    image: &Image<'_>,
) -> Result<(), Unreadable> {
    with_protocol_in(seen, reader, image, (0, image.content.len()))
}

/// Adds the names of NRI's protocol in a part of a program.
fn with_protocol_in(
    seen: &mut Sighting,
    reader: &'static str,
    image: &Image<'_>,
    part: (u64, u64),
) -> Result<(), Unreadable> {
    if find(image.content, part, PROTOCOL, |_| true)?.is_some() {
        seen.role = Role::Plugin;
        let found = protocol::read(image, &[part])?;
        let details = found.describe().into_iter();
        seen.evidence
            .extend(details.map(|detail| Evidence::new(reader, detail)));
    }
    Ok(())
}

/// Returns a sighting of something that may be a plugin but cannot be read, for this reason.
pub(super) fn hidden(
    file: &File<'_>,
    kind: FileKind,
    reader: &'static str,
    reason: &str,
) -> Sighting {
    // A runtime starts any file with a plugin name.
    let role = if identity(&file.name).0.is_some() {
        Role::Plugin
    } else {
        Role::None
    };
    Sighting {
        interface: Interface::unknown(reason),
        ..sighting(file, kind, role, Evidence::new(reader, reason))
    }
}
