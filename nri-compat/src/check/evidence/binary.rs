//! Executable files of Linux (ELF): their parts, and the addresses at which they are loaded.
//!
//! The crate `object` reads the headers. They may be wrong: a truncated or damaged file may still
//! start, or be started later from a complete copy. So headers narrow a search only if they agree
//! with each other ([`Image::sound`]); otherwise the whole file is searched.

pub(crate) mod bytes;
mod contained;
mod elf;
pub(crate) mod window;

use object::elf::SectionType;

use super::Unreadable;
use crate::check::content::{Content, File};
use bytes::Layout;
use window::Part;

pub(crate) use contained::{appended, embedded};

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
    /// The relocation type for an address that moves with the program; `None` if unknown.
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

/// A part of the file that a header names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) offset: u64,
    pub(crate) size: u64,
    kind: SectionType,
    is_allocated: bool,
    address: u64,
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

impl<'c> Image<'c> {
    /// Reads the headers of a file, as far as possible.
    pub(crate) fn read(file: &File<'c>) -> Self {
        Self { content: file.content, headers: elf::read(file) }
    }

    /// Returns how many bytes of loaded parts are beyond the end of the file: 0 for a complete
    /// file.
    pub(crate) fn missing(&self) -> u64 {
        self.headers.loaded_end.saturating_sub(self.content.len())
    }

    /// Returns the first section with one of these names, in the order of the names.
    pub(crate) fn section(&self, names: &[&str]) -> Option<&Section> {
        let sections = &self.headers.sections;
        names.iter().find_map(|name| sections.iter().find(|section| section.name == *name))
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
        let mut left_out: Vec<_> = self
            .headers
            .sections
            .iter()
            .filter(|section| leave_out(&section.name))
            .map(|section| (section.offset, section.end()))
            .collect();
        left_out.sort_unstable();
        self.headers
            .segments
            .iter()
            .flat_map(|segment| without(segment.offset, segment.end(), &left_out))
            .collect()
    }

    /// Returns offset and length of the parts outside of the sections for which `leave_out` is
    /// true, up to the end of the last part that a header names; the whole file if its headers do
    /// not agree.
    pub(crate) fn outside(&self, leave_out: impl Fn(&str) -> bool) -> Vec<(u64, u64)> {
        if !self.headers.sound {
            return vec![(0, self.content.len())];
        }
        let known = self.headers.sections.iter().filter(|section| leave_out(&section.name));
        let mut left_out: Vec<_> = known.map(|section| (section.offset, section.end())).collect();
        left_out.sort_unstable();
        without(0, self.headers.end.min(self.content.len()), &left_out)
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
        assert_eq!(without(10, 20, &[(0, 12), (14, 15), (19, 30)]), [(12, 2), (15, 4)]);
        assert_eq!(without(10, 20, &[(5, 25)]), []);
        assert_eq!(without(10, 20, &[(20, 25)]), [(10, 10)]);
    }
}
