//! Reports executables that cannot be read, or hide their contents.

use super::binary::window::find;
use super::binary::{Image, appended, embedded};
use super::protocol::{self, PROTOCOL};
use super::{Unreadable, identity, sighting};
use crate::check::content::File;
use crate::sighting::{Evidence, FileKind, Interface, Role, Sighting};
use crate::unknown::UnknownProgram;

const NAME: &str = "program";
/// The mark in the headers of programs packed with UPX.
const UPX: &[u8] = b"UPX!";
/// The maximum offset of the UPX mark in bytes, with a margin.
const UPX_WITHIN: usize = 1024;

/// Reports an executable packed with UPX, of which nothing can be read.
pub(super) fn packed(file: &File<'_>) -> Option<Sighting> {
    let head = file.head.get(..UPX_WITHIN).unwrap_or(&file.head);
    memchr::memmem::find(head, UPX)?;
    Some(hidden(file, FileKind::Other, NAME, UnknownProgram::Upx))
}

/// Reports a truncated executable that ends before its loaded parts, with the names of the protocol
/// in it.
pub(super) fn cut_short(file: &File<'_>, image: &Image<'_>) -> Result<Sighting, Unreadable> {
    let (length, missing) = (image.content.len(), image.missing());
    let why = UnknownProgram::CutShort { length, missing };
    let mut seen = hidden(file, FileKind::Other, NAME, why);
    with_protocol(&mut seen, NAME, image)?;
    Ok(seen)
}

/// Reports a program of another system that has a trace of NRI, or the name of a plugin. Nodes run
/// Linux, so such programs are not read.
pub(super) fn foreign(file: &File<'_>) -> Result<Option<Sighting>, Unreadable> {
    let may_be_plugin = identity(&file.name).0.is_some()
        || protocol::has_traces(file.content, &[(0, file.content.len())])?;
    Ok(may_be_plugin.then(|| hidden(file, FileKind::Other, NAME, UnknownProgram::Foreign)))
}

/// Reports the unread parts of a complete executable: appended data, or
/// another program among its constants, if it may start programs.
pub(super) fn contained(
    file: &File<'_>,
    image: &Image<'_>,
    may_start_programs: bool,
) -> Result<Option<Sighting>, Unreadable> {
    let end = image.headers.end;
    let behind = (end, image.content.len().saturating_sub(end));
    if let Some(appended) = appended(image)? {
        let why = UnknownProgram::Appended(appended.size, appended.format);
        let mut seen = hidden(file, FileKind::Other, NAME, why);
        with_protocol_in(&mut seen, NAME, image, behind)?;
        return Ok(Some(seen));
    }
    if !may_start_programs {
        return Ok(None);
    }
    let mut parts = image.constants(|section| section == ".text");
    if image.headers.stripped {
        parts.push(behind);
    }
    let found = embedded(image, &parts)?;
    Ok(found.map(|what| hidden(file, FileKind::Other, NAME, UnknownProgram::Contains(what))))
}

/// Reports a complete executable without traces of NRI that has no section headers and is from an
/// unknown toolchain.
pub(super) fn unexplained(file: &File<'_>, image: &Image<'_>) -> Option<Sighting> {
    let is_stripped = image.headers.stripped;
    is_stripped.then(|| hidden(file, FileKind::Other, NAME, UnknownProgram::NoSections))
}

/// Reports a program that can connect to a runtime but does not contain the name of the protocol:
/// it may construct the name at run time.
pub(super) fn connects(file: &File<'_>, kind: FileKind, reader: &'static str) -> Sighting {
    hidden(file, kind, reader, UnknownProgram::Connects)
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
        seen.evidence.extend(details.map(|detail| Evidence::new(reader, detail)));
    }
    Ok(())
}

/// Returns a sighting of something that may be a plugin but cannot be read, for this reason.
pub(super) fn hidden(
    file: &File<'_>,
    kind: FileKind,
    reader: &'static str,
    why: UnknownProgram,
) -> Sighting {
    // A runtime starts any file with a plugin name.
    let role = if identity(&file.name).0.is_some() { Role::Plugin } else { Role::None };
    Sighting {
        interface: Interface::unknown(why.clone()),
        ..sighting(file, kind, role, Evidence::new(reader, why.to_string()))
    }
}
