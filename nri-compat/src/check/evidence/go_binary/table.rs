//! The function table of Go's runtime: its position in a file, and its names.
//!
//! The names of all linked functions are kept for tracebacks, even in stripped programs. Layout of
//! the header: `pcHeader` in <https://go.dev/src/runtime/symtab.go>; Go 1.16, 1.18 and 1.20 changed
//! it, each with another magic number.

use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::check::evidence::binary::bytes::Layout;
use crate::check::evidence::binary::window::{Needles, windows};

pub(super) const SECTIONS: [&str; 2] = [".gopclntab", ".data.rel.ro.gopclntab"];
/// Other sections that only Go's linker creates.
const MARKS: [&str; 5] =
    [".go.buildinfo", ".note.go.buildid", ".typelink", ".go.module", ".go.type"];
/// The sections that contain the table if another linker merges sections, or names none.
const MERGED: [&str; 2] = [".data.rel.ro", ".rodata"];

const GO_1_2: u32 = 0xffff_fffb;
const GO_1_16: u32 = 0xffff_fffa;
const GO_1_18: u32 = 0xffff_fff0;
const GO_1_20: u32 = 0xffff_fff1;

/// The maximum length of a name in bytes; generics make long ones.
const MAX_NAME: u64 = 4096;
/// The maximum size of a table in bytes: some 20 times that of the largest known programs.
const MAX_TABLE: u64 = 1 << 28;

/// A function table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// The offset in the file.
    pub(super) offset: u64,
    /// Offset and length of the names in the file.
    pub(super) names: (u64, u64),
    /// The pointer size and byte order in its header.
    pub(super) layout: Layout,
    /// True if it is of Go 1.20 or later.
    pub(super) since_1_20: bool,
    /// True if it is of Go 1.16 or later.
    pub(super) since_1_16: bool,
}

/// The result of looking for a function table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// The file has this table.
    Found(Table),
    /// The file was linked by Go, but has no readable table.
    Unreadable,
    /// The file was not linked by Go.
    NotGo,
}

/// Looks for the table in its section, or else by its first bytes in the places where a Go linker
/// may have put it.
pub(super) fn locate(image: &Image<'_>) -> Result<Presence, Unreadable> {
    if let Some(section) = image.section(&SECTIONS) {
        let header = image.part(section.offset, 128)?;
        if let Some(table) = parse(image.headers.layout.big, section.offset, section.size, &header)
        {
            return Ok(Presence::Found(table));
        }
    }
    let marked = image.section(&SECTIONS).or(image.section(&MARKS)).is_some();
    if !marked && image.headers.sound {
        return Ok(Presence::NotGo);
    }
    Ok(match scan(image)? {
        Some(table) => Presence::Found(table),
        None if marked => Presence::Unreadable,
        None => Presence::NotGo,
    })
}

/// Looks for the first bytes of a table: in the sections where a linker may have put it, then in
/// all loaded parts. Large programs take as long as reading each part once.
fn scan(image: &Image<'_>) -> Result<Option<Table>, Unreadable> {
    let merged = MERGED.iter().filter_map(|name| image.section(&[name]));
    let sections = merged.map(|section| (section.offset, section.size));
    let stated = image.headers.layout.big;
    // Damaged headers may state the wrong byte order.
    let orders: &[bool] = if image.headers.sound { &[stated] } else { &[stated, !stated] };
    let beginnings = Needles::new(&beginnings(orders));
    for place in sections.chain(image.loaded()) {
        let found = windows(image.content, place, 256, |at, bytes| {
            let mut places = beginnings.places(bytes);
            places.find_map(|into| {
                let header = bytes.split_at(into).1;
                let is_order = |big: &&bool| parse(**big, 0, MAX_TABLE, header).is_some();
                orders.iter().find(is_order).map(|big| (at + into as u64, *big))
            })
        })?;
        if let Some((offset, big)) = found {
            let rest = place.0.saturating_add(place.1).saturating_sub(offset);
            return Ok(parse(big, offset, rest, &image.part(offset, 128)?));
        }
    }
    Ok(None)
}

/// Returns the first bytes of tables in these byte orders, true for big-endian.
fn beginnings(orders: &[bool]) -> Vec<Vec<u8>> {
    let all = [GO_1_20, GO_1_18, GO_1_16]
        .into_iter()
        .flat_map(|magic| orders.iter().map(move |big| (magic, *big)));
    all.map(|(magic, big)| {
        let magic = if big { magic.to_be_bytes() } else { magic.to_le_bytes() };
        [&magic[..], &[0, 0]].concat()
    })
    .collect()
}

/// Returns the table that starts at `offset` and has at most `size` bytes, from its header.
fn parse(big: bool, offset: u64, size: u64, header: &[u8]) -> Option<Table> {
    let &[_, _, _, _, 0, 0, quantum, pointer, ..] = header else {
        return None;
    };
    if !matches!((quantum, pointer), (1 | 2 | 4, 4 | 8)) {
        return None;
    }
    let layout = Layout { wide: pointer == 8, big };
    let word = |place: usize| layout.pointer(header, 8 + place * layout.word());
    let magic = layout.u32(header, 0)?;
    let functions = word(0)?;
    let (from, to) = match magic {
        GO_1_2 => (0, size),
        GO_1_16 => (word(2)?, word(3)?),
        GO_1_18 | GO_1_20 => (word(3)?, word(4)?),
        _ => return None,
    };
    let length = to.checked_sub(from).filter(|length| *length > 0)?;
    let sound = (1..1 << 28).contains(&functions) && to <= size.min(MAX_TABLE);
    sound.then_some(Table {
        offset,
        names: (offset.checked_add(from)?, length),
        layout,
        since_1_20: magic == GO_1_20,
        since_1_16: magic != GO_1_2,
    })
}

impl Table {
    /// Calls `see` with every complete name that contains one of the needles, until it returns a
    /// result, and returns that.
    ///
    /// A name may be seen twice.
    pub(super) fn search<T>(
        &self,
        image: &Image<'_>,
        needles: &[&str],
        mut see: impl FnMut(&str) -> Option<T>,
    ) -> Result<Option<T>, Unreadable> {
        let needles = Needles::new(needles);
        windows(image.content, self.names, MAX_NAME, |at, bytes| {
            let is_first = at == self.names.0;
            let hits = needles.places(bytes);
            let mut names = hits.filter_map(|hit| whole(bytes, hit, is_first));
            names.find_map(&mut see)
        })
    }
}

/// Returns the name around a hit; none where the window cuts it, as the window before or after has
/// it whole.
fn whole(window: &[u8], hit: usize, at_start: bool) -> Option<&str> {
    let start = match memchr::memrchr(0, window.get(..hit)?) {
        Some(zero) => zero + 1,
        None if at_start => 0,
        None => return None,
    };
    let end = hit + memchr::memchr(0, window.get(hit..)?)?;
    std::str::from_utf8(window.get(start..end)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_between_zeros() {
        let window = b"cut.short\0main.(*plugin).Run\0cut";
        assert_eq!(whole(window, 2, false), None);
        assert_eq!(whole(window, 2, true), Some("cut.short"));
        assert_eq!(whole(window, 12, false), Some("main.(*plugin).Run"));
        assert_eq!(whole(window, 30, false), None);
    }
}
