//! Go's type descriptors: their position, and those with methods.
//!
//! Layouts: `moduledata` in <https://go.dev/src/runtime/symtab.go>, types in
//! <https://go.dev/src/internal/abi/type.go>. This is our own code because the crate that reads
//! them (gobin) needs the whole file in memory, decodes all of it, and does not apply the
//! relocations of position-independent programs from other linkers.

use super::moduledata;
use super::table::Table;
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::check::evidence::binary::bytes::{Layout, leb128};
use crate::check::evidence::binary::window::Part;

/// The bits that hold the kind of a type.
const KIND: u8 = 31;
const ARRAY: u8 = 17;
const CHAN: u8 = 18;
const FUNC: u8 = 19;
const INTERFACE: u8 = 20;
const MAP: u8 = 21;
const POINTER: u8 = 22;
const SLICE: u8 = 23;
const STRUCT: u8 = 25;
const LAST_KIND: u8 = 26;
/// Flag: the type has methods.
const UNCOMMON: u8 = 1;
const EXTRA_STAR: u8 = 2;

/// The number of bytes of descriptors in memory at a time.
const WINDOW: u64 = 1 << 20;
/// The overlap with the next window: larger than a descriptor with its methods.
const OVERLAP: u64 = 1 << 18;
/// The maximum length of a name in bytes.
const MAX_NAME: u64 = 4096;
/// The size of a method in bytes.
const METHOD: usize = 16;
const INTERFACE_METHOD: usize = 8;

/// The part of the file with type descriptors and their names; offsets are relative to its start.
pub(super) struct Types<'i> {
    image: &'i Image<'i>,
    layout: Layout,
    start: u64,
    length: u64,
    window: u64,
    bytes: Part<'i>,
    places: Vec<usize>,
}

/// Returns the positions in the first [`WINDOW`] bytes where a type with methods may start.
///
/// Descriptors are between names and bit masks, in an unspecified order, so every position is
/// tried.
fn places(bytes: &[u8], layout: Layout) -> Vec<usize> {
    if layout.wide {
        places_by::<8>(bytes)
    } else {
        places_by::<4>(bytes)
    }
}

fn places_by<const WORD: usize>(bytes: &[u8]) -> Vec<usize> {
    let window = usize::try_from(WINDOW).unwrap_or(usize::MAX);
    // The first half of the word contains the flags, even if the second half is missing.
    let Some(flags) = bytes.get(flags_at(WORD)..) else {
        return Vec::new();
    };
    let mut places = Vec::new();
    for (block, words) in flags.chunks(BLOCK).take(window / BLOCK).enumerate() {
        if !may_have_start::<WORD>(words) {
            continue;
        }
        for (place, word) in words.chunks(WORD).enumerate() {
            if word.first_chunk().is_some_and(|flags| may_start(*flags)) {
                places.push(block * BLOCK + place * WORD);
            }
        }
    }
    places
}

/// The number of bytes that are skipped at once if none of them can start a type.
const BLOCK: usize = 64;
/// The number of bytes with flags, alignments and kind.
const PART: usize = 4;

/// Returns true if a word of the block may start a type, approximately: nine out of ten blocks end
/// here. Looks at four bytes at a time, even in words of eight, so that the compiler can compare
/// several at once.
fn may_have_start<const WORD: usize>(words: &[u8]) -> bool {
    let Some(block) = words.first_chunk::<BLOCK>() else {
        return true;
    };
    let mut starts = [false; BLOCK / PART];
    for (at, (starts, part)) in starts.iter_mut().zip(block.chunks_exact(PART)).enumerate() {
        let flags = part
            .first_chunk()
            .map_or(0, |flags| u32::from_le_bytes(*flags));
        let align = flags & 0xff00;
        let differs = (flags ^ (flags >> 8)) & 0xff00;
        // Has other bits if the alignment is zero or more than 16.
        let below = align.wrapping_sub(0x100);
        // All of these are zero in a type with methods.
        let wrong =
            (!flags & u32::from(UNCOMMON)) | differs | (align & below) | (below & 0xffff_f000);
        *starts = (wrong == 0) & (at * PART).is_multiple_of(WORD);
    }
    starts.iter().fold(false, |any, starts| any | starts)
}

/// Returns true if these can be the flags, alignments and kind of a type with methods. Has no
/// branches, because it is called for every word.
fn may_start([flags, align, field_align, kind]: [u8; 4]) -> bool {
    (flags & UNCOMMON != 0)
        & (align == field_align)
        & align.is_power_of_two()
        & (align <= 8)
        & ((kind & KIND).wrapping_sub(1) < LAST_KIND)
}

/// Returns the position of the flags, alignments and kind in a descriptor.
fn flags_at(word: usize) -> usize {
    2 * word + 4
}

/// A type with methods, by the offsets of its parts.
pub(super) struct Descriptor {
    kind: u8,
    name: u32,
    extra_star: bool,
    /// The offset of the package name, 0 for none.
    pub(super) package: u32,
    methods: usize,
    count: usize,
    at: usize,
}

/// A method: offsets of its name and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Method {
    pub(super) name: u32,
    pub(super) of: u32,
}

impl<'i> Types<'i> {
    /// Finds the types; `None` if the layout is unknown.
    pub(super) fn locate(image: &'i Image<'i>, table: &Table) -> Result<Option<Self>, Unreadable> {
        let Some((start, length)) = moduledata::types(image, table)? else {
            return Ok(None);
        };
        let mut types = Self {
            image,
            layout: table.layout,
            start,
            length,
            window: 0,
            bytes: Part::default(),
            places: Vec::new(),
        };
        types.move_to(0)?;
        Ok(Some(types))
    }

    /// Calls `see` with every type that has methods or an import path, and the bytes that contain
    /// it.
    pub(super) fn each(
        &mut self,
        mut see: impl FnMut(&Self, &Descriptor),
    ) -> Result<(), Unreadable> {
        let mut at = 0;
        while at < self.length {
            if at != self.window {
                self.move_to(at)?;
            }
            for place in &self.places {
                if let Some(found) = self.descriptor(*place) {
                    see(self, &found);
                }
            }
            at += WINDOW;
        }
        Ok(())
    }

    fn move_to(&mut self, at: u64) -> Result<(), Unreadable> {
        let length = (WINDOW + OVERLAP).min(self.length - at);
        self.bytes = self.image.part(self.start + at, length)?;
        self.window = at;
        self.places = places(&self.bytes, self.layout);
        Ok(())
    }

    /// Returns the type that starts here in the window, if it has methods.
    fn descriptor(&self, at: usize) -> Option<Descriptor> {
        let word = self.layout.word();
        let header = 4 * word + 16;
        let &[flags, _, _, kind] = self.bytes.get(at + flags_at(word)..)?.first_chunk()?;
        let kind = kind & KIND;
        let name = self.layout.u32(&self.bytes, at + 4 * word + 8)?;
        let rests = match kind {
            FUNC => [word, 4],
            POINTER | SLICE => [word; 2],
            ARRAY => [3 * word; 2],
            CHAN => [2 * word; 2],
            INTERFACE | STRUCT => [4 * word; 2],
            MAP => [4 * word + 8, 7 * word + word.max(4)],
            _ => [0; 2],
        };
        rests.iter().find_map(|rest| {
            let uncommon = self.uncommon(at + header + rest)?;
            Some(Descriptor {
                kind,
                name,
                extra_star: flags & EXTRA_STAR != 0,
                at,
                ..uncommon
            })
        })
    }

    fn uncommon(&self, at: usize) -> Option<Descriptor> {
        let package = self.layout.u32(&self.bytes, at)?;
        let count = self.layout.u16(&self.bytes, at + 4)?;
        let exported = self.layout.u16(&self.bytes, at + 6)?;
        let methods = usize::try_from(self.layout.u32(&self.bytes, at + 8)?).ok()?;
        let sound = exported <= count && u64::from(package) < self.length && methods >= 16;
        sound.then_some(Descriptor {
            kind: 0,
            name: 0,
            extra_star: false,
            package,
            methods: at.checked_add(methods)?,
            count: usize::from(exported),
            at: 0,
        })
    }

    /// Returns the entries of the exported methods of a type other than an interface.
    pub(super) fn entries(&self, of: &Descriptor) -> Part<'_> {
        if of.kind == INTERFACE {
            return Part::default();
        }
        let length = of.count * METHOD;
        let end = of.methods.saturating_add(length);
        // They follow the fields of a struct, however many it has.
        match self.bytes.get(of.methods..end) {
            Some(entries) => Part::Borrowed(entries),
            // Every place that looks like the start of a type is tried: what has no methods where
            // they should be is no type.
            None => self.at(of.methods, length).unwrap_or_default(),
        }
    }

    /// Returns the methods of these entries, without those that the linker removed.
    pub(super) fn methods<'t>(
        &'t self,
        entries: &'t [u8],
    ) -> impl Iterator<Item = Method> + use<'t, 'i> {
        entries.chunks_exact(METHOD).filter_map(|entry| {
            Some(Method {
                name: self.layout.u32(entry, 0)?,
                of: self.layout.u32(entry, 4)?,
            })
        })
    }

    /// Reads bytes after the window, within the descriptors.
    fn at(&self, at: usize, length: usize) -> Option<Part<'_>> {
        let at = self.window.checked_add(at as u64)?;
        let end = at.checked_add(length as u64)?;
        let part = self.image.part(self.start.checked_add(at)?, length as u64);
        part.ok().filter(|_| end <= self.length)
    }

    /// Returns the method of an interface with a single method.
    pub(super) fn only_method(&self, of: &Descriptor) -> Option<Method> {
        let word = self.layout.word();
        // After the common header: import path, then address, length and capacity of the methods.
        let fields = of.at + 4 * word + 16;
        let length = self.layout.pointer(&self.bytes, fields + 2 * word)?;
        if of.kind != INTERFACE || length != 1 {
            return None;
        }
        // The methods follow immediately, so the address, which may need relocation, is not used.
        let entry = self
            .bytes
            .get(fields + 4 * word + 16..)?
            .get(..INTERFACE_METHOD)?;
        Some(Method {
            name: self.layout.u32(entry, 0)?,
            of: self.layout.u32(entry, 4)?,
        })
    }

    /// Returns a type's name as Go prints it: `*main.plugin`.
    pub(super) fn type_name(&self, of: &Descriptor) -> Option<String> {
        let name = self.name(of.name)?;
        let shown = name.strip_prefix('*').filter(|_| of.extra_star);
        Some(shown.unwrap_or(&name).to_owned())
    }

    /// Reads the name at an offset: flags, length, text.
    pub(super) fn name(&self, at: u32) -> Option<String> {
        let at = u64::from(at);
        let bytes = match at
            .checked_sub(self.window)
            .and_then(|at| usize::try_from(at).ok())
        {
            Some(at) if at + 16 < self.bytes.len() => Part::Borrowed(self.bytes.get(at..)?),
            _ if at < self.length => self.image.part(self.start + at, MAX_NAME).ok()?,
            _ => return None,
        };
        let (length, taken) = leb128(bytes.get(1..)?)?;
        let length = usize::try_from(length.min(MAX_NAME)).ok()?;
        let text = bytes.get(1 + taken..)?.get(..length)?;
        Some(std::str::from_utf8(text).ok()?.to_owned())
    }
}
