//! Executable files: their parts, and the addresses at which they are loaded. ELF, PE and Mach-O.
//!
//! The crate `object` reads the headers. They may be wrong: a truncated or damaged file may still
//! start, or be started later from a complete copy. So headers narrow a search only if they agree
//! with each other ([`Image::sound`]); otherwise the whole file is searched.

mod besides;
pub(crate) mod bytes;
mod elf;
mod foreign;
pub(crate) mod window;

use object::read::{ReadCache, ReadRef};

use super::Unreadable;
use crate::check::content::{Content, File, Stream};
use bytes::Layout;
use window::Part;

pub(crate) use besides::{Appended, appended, embedded};

/// The maximum size of a table of headers in bytes: 65,535 section headers of 64 bytes are smaller.
const MAX_TABLE: u64 = 4 << 20;

/// The maximum number of sections, segments or load commands.
const MAX_ENTRIES: usize = 4096;

/// The maximum number of architectures in one Mach-O file.
const MAX_ARCHITECTURES: u8 = 40;

/// The section that linkers make of constants, unless they are told to merge it with others.
const CONSTANTS: &str = ".rodata";

/// An executable file whose headers were read.
pub(crate) struct Image<'c> {
    pub(crate) content: &'c dyn Content,
    pub(crate) headers: Headers,
}

/// The contents of an executable's headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Headers {
    pub(crate) layout: Layout,
    pub(crate) sections: Vec<Section>,
    pub(crate) segments: Vec<Segment>,
    /// ELF: the relocation type for an address that moves with the program; `None` if unknown.
    pub(crate) relative: Option<u32>,
    /// True if sections and segments agree, so that sections can narrow a search.
    pub(crate) sound: bool,
    /// True if the file has no section headers by design, as opposed to damaged ones.
    pub(crate) stripped: bool,
    /// The offset of the end of the last loaded part, which may be the headers themselves.
    pub(crate) loaded_end: u64,
    /// The offset of the end of the last part named by any header.
    pub(crate) end: u64,
    /// True if a system can start or load it, unlike object files, core dumps and files with debug
    /// information.
    pub(crate) starts: bool,
}

/// A named part of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl Section {
    fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

/// A part of the file that is loaded at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) address: u64,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl Segment {
    fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

/// Format of an executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Elf,
    MachO,
    /// Mach-O for several architectures in one file.
    FatMachO,
    Pe,
}

/// Returns the format of an executable, even of one that is truncated within its headers.
pub(crate) fn format(file: &File<'_>) -> Option<Format> {
    match &*file.head {
        [0x7f, b'E', b'L', b'F', ..] => Some(Format::Elf),
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xfe, 0xed, 0xfa, 0xcf | 0xce, ..] => {
            Some(Format::MachO)
        }
        // A Java class starts with the same bytes, and its version number is larger than any number of architectures.
        [
            0xca,
            0xfe,
            0xba,
            0xbe | 0xbf,
            0,
            0,
            0,
            1..=MAX_ARCHITECTURES,
            ..,
        ] => Some(Format::FatMachO),
        [b'M', b'Z', ..] if foreign::is_pe(file) => Some(Format::Pe),
        _ => None,
    }
}

impl Headers {
    /// Returns unusable headers: damaged, or beyond the end of a file that has to extend at least
    /// to `loaded_end`.
    fn unreadable(layout: Layout, loaded_end: u64) -> Self {
        Self {
            layout,
            sections: Vec::new(),
            segments: Vec::new(),
            relative: None,
            sound: false,
            stripped: false,
            loaded_end,
            end: loaded_end,
            starts: true,
        }
    }

    /// Extends what is loaded to the ends of the segments.
    fn end_with_segments(&mut self) {
        let ends = self.segments.iter().map(Segment::end);
        self.loaded_end = ends.fold(self.loaded_end, u64::max);
        self.end = self.loaded_end;
    }
}

impl<'c> Image<'c> {
    /// Reads the headers of a file of this format, as far as possible.
    pub(crate) fn read(file: &File<'c>, format: Format) -> Self {
        let headers = match format {
            Format::Elf => elf::read(file),
            Format::MachO | Format::FatMachO => foreign::mach_o(file),
            Format::Pe => foreign::pe(file),
        };
        Self {
            content: file.content,
            headers,
        }
    }

    /// Returns how many bytes of loaded parts are beyond the end of the file: 0 for a complete
    /// file.
    pub(crate) fn missing(&self) -> u64 {
        self.headers.loaded_end.saturating_sub(self.content.len())
    }

    /// Returns the first section with one of these names, in the order of the names.
    pub(crate) fn section(&self, names: &[&str]) -> Option<&Section> {
        let sections = &self.headers.sections;
        names
            .iter()
            .find_map(|name| sections.iter().find(|section| section.name == *name))
    }

    /// Returns offset and length of the parts that may hold constants: the loaded parts, without
    /// the sections for which `leave_out` is true, or the whole file if its headers do not agree.
    /// Nothing is left out if no section is that of constants: then another one may contain them.
    pub(crate) fn constants(&self, leave_out: impl Fn(&str) -> bool) -> Vec<(u64, u64)> {
        if !self.headers.sound {
            return vec![(0, self.content.len())];
        }
        let are_apart = self.section(&[CONSTANTS]).is_some();
        let leave_out = |name: &str| are_apart && leave_out(name);
        let sections = self.headers.sections.iter();
        let mut left_out: Vec<_> = sections
            .filter(|section| leave_out(&section.name))
            .map(|section| (section.offset, section.end()))
            .collect();
        left_out.sort_unstable();
        let segments = self.headers.segments.iter();
        segments
            .flat_map(|segment| without(segment.offset, segment.end(), &left_out))
            .collect()
    }

    /// Returns offset and length of all loaded parts, or of the whole file if these are uncertain.
    pub(crate) fn loaded(&self) -> Vec<(u64, u64)> {
        self.constants(|_| false)
    }

    /// Returns the offset in the file of the byte at `address`.
    pub(crate) fn offset_of(&self, address: u64) -> Option<u64> {
        self.headers.segments.iter().find_map(|segment| {
            let into = address.checked_sub(segment.address)?;
            (into < segment.size).then(|| segment.offset.checked_add(into))?
        })
    }

    /// Returns the address of the byte at `offset` in the file.
    pub(crate) fn address_of(&self, offset: u64) -> Option<u64> {
        self.headers.segments.iter().find_map(|segment| {
            let into = offset.checked_sub(segment.offset)?;
            (into < segment.size).then(|| segment.address.checked_add(into))?
        })
    }

    /// Reads up to `length` bytes at `offset` of the file.
    pub(crate) fn part(&self, offset: u64, length: u64) -> Result<Part<'_>, Unreadable> {
        window::part(self.content, offset, length)
    }
}

/// A cache of the headers of a file.
type Cache<'c> = ReadCache<Stream<'c>>;

/// Returns a cache over a file.
fn cache(content: &dyn Content) -> Cache<'_> {
    ReadCache::new(Stream::new(content))
}

/// A cached file that returns only tables up to [`MAX_TABLE`], so that headers cannot exhaust
/// memory.
#[derive(Clone, Copy)]
struct Tables<'a, 'c>(&'a Cache<'c>);

impl<'a> ReadRef<'a> for Tables<'a, '_> {
    fn len(self) -> Result<u64, ()> {
        ReadRef::len(self.0)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        if size > MAX_TABLE {
            return Err(());
        }
        self.0.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(
        self,
        range: std::ops::Range<u64>,
        delimiter: u8,
    ) -> Result<&'a [u8], ()> {
        self.0.read_bytes_at_until(range, delimiter)
    }
}

/// Returns a range, given by its start and end, without these sorted ranges, as offsets and
/// lengths.
fn without(start: u64, end: u64, left_out: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut parts = Vec::new();
    let mut at = start;
    for (from, to) in left_out {
        if *from < end && *to > at {
            if *from > at {
                parts.push((at, from - at));
            }
            at = *to;
        }
    }
    if at < end {
        parts.push((at, end - at));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn a_range_without_parts_of_it() {
        assert_eq!(without(10, 20, &[]), [(10, 10)]);
        assert_eq!(
            without(10, 20, &[(0, 12), (14, 15), (19, 30)]),
            [(12, 2), (15, 4)]
        );
        assert_eq!(without(10, 20, &[(5, 25)]), []);
        assert_eq!(without(10, 20, &[(20, 25)]), [(10, 10)]);
    }
}
