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

/// The maximum length of a name in bytes.
const MAX_NAME: u64 = 4096;
/// The size of a method in bytes.
const METHOD: usize = 16;
const INTERFACE_METHOD: usize = 8;

/// The part of the file with type descriptors and their names; offsets are relative to its start.
pub(super) struct Types<'i> {
    layout: Layout,
    bytes: Part<'i>,
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
pub(super) struct TypeDescriptor {
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
        Ok(Some(Self { layout: table.layout, bytes: image.part(start, length)? }))
    }

    /// Returns every type that has methods.
    ///
    /// Descriptors are between names and bit masks, in an unspecified order, so every word is
    /// tried.
    pub(super) fn all(&self) -> impl Iterator<Item = TypeDescriptor> {
        let word = self.layout.word();
        let after = self.bytes.get(flags_at(word)..).unwrap_or_default();
        // The flags are the first half of a word of eight bytes.
        let (halves, _) = after.as_chunks();
        let starts =
            halves.iter().step_by(word / 4).enumerate().filter(|(_, flags)| may_start(**flags));
        starts.filter_map(move |(place, _)| self.descriptor(place * word))
    }

    /// Returns the type that starts here, if it has methods.
    fn descriptor(&self, at: usize) -> Option<TypeDescriptor> {
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
            let (package, methods, count) = self.uncommon(at + header + rest)?;
            Some(TypeDescriptor {
                kind,
                name,
                extra_star: flags & EXTRA_STAR != 0,
                package,
                methods,
                count,
                at,
            })
        })
    }

    /// Returns the package of a type with methods, and the place and number of its exported
    /// methods.
    fn uncommon(&self, at: usize) -> Option<(u32, usize, usize)> {
        let package = self.layout.u32(&self.bytes, at)?;
        let count = self.layout.u16(&self.bytes, at + 4)?;
        let exported = self.layout.u16(&self.bytes, at + 6)?;
        let methods = usize::try_from(self.layout.u32(&self.bytes, at + 8)?).ok()?;
        let sound =
            exported <= count && u64::from(package) < self.bytes.len() as u64 && methods >= 16;
        sound.then_some((package, at.checked_add(methods)?, usize::from(exported)))
    }

    /// Returns the exported methods of a type other than an interface.
    pub(super) fn methods(&self, of: &TypeDescriptor) -> impl Iterator<Item = Method> {
        let end = of.methods.saturating_add(of.count * METHOD);
        // Every place that looks like the start of a type is tried: what has no methods where they
        // should be is not a type.
        let entries = self
            .bytes
            .get(of.methods..end)
            .filter(|_| of.kind != INTERFACE)
            .unwrap_or_default()
            .chunks_exact(METHOD);
        entries.filter_map(|entry| self.method(entry))
    }

    fn method(&self, entry: &[u8]) -> Option<Method> {
        Some(Method { name: self.layout.u32(entry, 0)?, of: self.layout.u32(entry, 4)? })
    }

    /// Returns the method of an interface with a single method.
    pub(super) fn only_method(&self, of: &TypeDescriptor) -> Option<Method> {
        let word = self.layout.word();
        // After the common header: import path, then address, length and capacity of the methods.
        let fields = of.at + 4 * word + 16;
        let length = self.layout.pointer(&self.bytes, fields + 2 * word)?;
        if of.kind != INTERFACE || length != 1 {
            return None;
        }
        // The methods follow immediately, so the address, which may need relocation, is not used.
        let methods = self.bytes.get(fields + 4 * word + 16..)?;
        let entry = methods.get(..INTERFACE_METHOD)?;
        self.method(entry)
    }

    /// Returns a type's name as Go prints it: `*main.plugin`.
    pub(super) fn type_name(&self, of: &TypeDescriptor) -> Option<String> {
        let name = self.name(of.name)?;
        let shown = name.strip_prefix('*').filter(|_| of.extra_star);
        Some(shown.unwrap_or(&name).to_owned())
    }

    /// Reads the name at an offset: flags, length, text.
    pub(super) fn name(&self, at: u32) -> Option<String> {
        let bytes = self.bytes.get(usize::try_from(at).ok()?..)?;
        let (length, taken) = leb128(bytes.get(1..)?)?;
        let length = usize::try_from(length.min(MAX_NAME)).ok()?;
        let text = bytes.get(1 + taken..)?.get(..length)?;
        Some(std::str::from_utf8(text).ok()?.to_owned())
    }
}
