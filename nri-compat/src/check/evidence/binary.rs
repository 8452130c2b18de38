//! Executables: where their sections are, and what is loaded where. ELF, Mach-O and PE.

pub(crate) mod bytes;
mod elf;
mod macho;
mod pe;
pub(crate) mod window;

use super::Unreadable;
use crate::check::content::Content;
use crate::check::skipped::SkipKind;
use bytes::Layout;
use window::Part;

/// The most sections, segments or load commands that are looked at.
const MANY: usize = 4096;

/// An executable file, its headers read.
pub(crate) struct Image<'c> {
    pub(crate) content: &'c dyn Content,
    pub(crate) layout: Layout,
    pub(crate) format: Format,
    pub(crate) sections: Vec<Section>,
    pub(crate) segments: Vec<Segment>,
    /// ELF: what relocation type means "this address, moved by as much as the program is". None: not known.
    pub(crate) relative: Option<u32>,
}

/// Format of an executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Elf,
    MachO,
    Pe,
}

/// A named part of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// A part of the file that is loaded at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) address: u64,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// Which format the first bytes of a file are of.
pub(crate) fn format(head: &[u8]) -> Option<Format> {
    match head {
        [0x7f, b'E', b'L', b'F', ..] => Some(Format::Elf),
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] => Some(Format::MachO),
        [b'M', b'Z', ..] if pe::is_pe(head) => Some(Format::Pe),
        _ => None,
    }
}

impl<'c> Image<'c> {
    /// Reads the headers of a file that starts with `head`.
    pub(crate) fn read(content: &'c dyn Content, head: &[u8]) -> Result<Self, Unreadable> {
        let image = match format(head) {
            Some(Format::Elf) => elf::read(content, head)?,
            Some(Format::MachO) => macho::read(content, head)?,
            Some(Format::Pe) => pe::read(content, head)?,
            None => None,
        };
        image.ok_or_else(|| {
            Unreadable::new(
                SkipKind::Broken,
                "the headers of the executable are damaged or cut short",
            )
        })
    }

    /// The first section that has one of these names, in the order of the names.
    pub(crate) fn section(&self, names: &[&str]) -> Option<&Section> {
        names
            .iter()
            .find_map(|name| self.sections.iter().find(|section| section.name == *name))
    }

    /// Where in the file the byte is that is loaded at `address`.
    pub(crate) fn offset_of(&self, address: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let into = address.checked_sub(segment.address)?;
            (into < segment.size).then(|| segment.offset.checked_add(into))?
        })
    }

    /// Where the byte at `offset` in the file is loaded.
    pub(crate) fn address_of(&self, offset: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let into = offset.checked_sub(segment.offset)?;
            (into < segment.size).then(|| segment.address.checked_add(into))?
        })
    }

    /// Up to `length` bytes from `offset` in the file on.
    pub(crate) fn part(&self, offset: u64, length: u64) -> Result<Part<'_>, Unreadable> {
        window::part(self.content, offset, length)
    }
}
