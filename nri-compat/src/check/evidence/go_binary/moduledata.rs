//! `moduledata`, the record from which Go's runtime finds its tables. It locates the type
//! descriptors.

use memchr::memmem::Finder;

use super::table::Table;
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::check::evidence::binary::window::windows;

/// The section that holds it since Go 1.26.
const SECTION: &str = ".go.module";
const DATA: [&str; 3] = [".noptrdata", ".data", ".data.rel.ro"];
/// The names of the relocation sections, by other linkers and by Go's.
const RELOCATIONS: [&str; 2] = [".rela.dyn", ".rela"];
/// The size of a 64-bit relocation with an address, in bytes.
const RELOCATION: usize = 24;
/// The maximum number of candidate positions in a window.
const MAX_PLACES: usize = 16;
/// The number of words that are read of it.
const WORDS_READ: usize = 48;
/// The index of the word with the start of the types.
const TYPES_WORD: usize = 37;
const TYPES_WORD_BEFORE_1_20: usize = 35;
/// The maximum size of the types in bytes: several times that of the largest known programs.
const MAX_TYPES: u64 = 1 << 26;

/// Returns the offset in the file and the length of the type descriptors.
pub(super) fn types(image: &Image<'_>, table: &Table) -> Result<Option<(u64, u64)>, Unreadable> {
    let Some(target) = image.address_of(table.offset).filter(|_| table.since_1_16) else {
        return Ok(None);
    };
    let found = match image.section(&[SECTION]) {
        Some(own) => parse_at(image, table, own.offset)?,
        None => by_target(image, table, target)?,
    };
    match found {
        Some(found) => Ok(Some(found)),
        None => Ok(relocated(image, target)?.and_then(|words| parse(image, table, &words))),
    }
}

/// Looks for it in sections of data: it begins with the address of the function table.
fn by_target(
    image: &Image<'_>,
    table: &Table,
    target: u64,
) -> Result<Option<(u64, u64)>, Unreadable> {
    let word = table.layout.word();
    let (big, little) = (target.to_be_bytes(), target.to_le_bytes());
    let needle = Finder::new(if table.layout.big {
        big.split_at(8 - word).1
    } else {
        little.split_at(word).0
    });
    let sections = DATA
        .iter()
        .filter_map(|name| image.section(&[name]))
        .map(|section| (section.offset, section.size));
    let all = if image.headers.sound { Vec::new() } else { image.loaded() };
    for part in sections.chain(all) {
        let found = windows(image.content, part, word as u64, |at, bytes| {
            let places = needle.find_iter(bytes).take(MAX_PLACES);
            let mut found = places.map(|place| parse_at(image, table, at + place as u64));
            found.find_map(Result::transpose)
        })?;
        if let Some(found) = found {
            return found.map(Some);
        }
    }
    Ok(None)
}

/// Parses the record at this offset in the file.
fn parse_at(
    image: &Image<'_>,
    table: &Table,
    offset: u64,
) -> Result<Option<(u64, u64)>, Unreadable> {
    let word = table.layout.word();
    let bytes = image.part(offset, (WORDS_READ * word) as u64)?;
    let words = (0..WORDS_READ).map_while(|place| table.layout.pointer(&bytes, place * word));
    Ok(parse(image, table, &words.collect::<Vec<_>>()))
}

fn parse(image: &Image<'_>, table: &Table, words: &[u64]) -> Option<(u64, u64)> {
    let place = if table.since_1_20 { TYPES_WORD } else { TYPES_WORD_BEFORE_1_20 };
    let start = *words.get(place)?;
    // Go 1.27 inserted the length of a part of them between start and end.
    let ends = [*words.get(place + 1)?, *words.get(place + 2)?];
    let end = ends.into_iter().find(|end| *end > start)?;
    let length = end - start;
    let offset = image.offset_of(start)?;
    let all_there = image.offset_of(end - 1)? == offset.checked_add(length - 1)?;
    (all_there && length <= MAX_TYPES).then_some((offset, length))
}

/// Returns its words if only relocations have the addresses, as in position-independent programs of
/// other linkers.
fn relocated(image: &Image<'_>, target: u64) -> Result<Option<Vec<u64>>, Unreadable> {
    let (Some(section), Some(relative), true) =
        (image.section(&RELOCATIONS), image.headers.relative, image.headers.layout.wide)
    else {
        return Ok(None);
    };
    let layout = image.headers.layout;
    let all = (section.offset, section.size);
    let entries = |visit: &mut dyn FnMut(u64, u64)| {
        windows(image.content, all, RELOCATION as u64, |at, bytes| {
            // Windows are not a multiple of an entry: start at the next entry.
            let before =
                (at - section.offset).next_multiple_of(RELOCATION as u64) + section.offset - at;
            let skipped = bytes.iter().take(before as usize).count();
            for entry in bytes.split_at(skipped).1.chunks_exact(RELOCATION) {
                let field = |offset| layout.u64(entry, offset).unwrap_or_default();
                if field(8) & 0xffff_ffff == u64::from(relative) {
                    visit(field(0), field(16));
                }
            }
            None::<()>
        })
    };
    let mut start = None;
    entries(&mut |place, address| {
        if address == target {
            start.get_or_insert(place);
        }
    })?;
    let Some(start) = start else { return Ok(None) };
    let mut words = vec![0; WORDS_READ];
    entries(&mut |place, address| {
        let index = place.checked_sub(start).map(|into| into / 8);
        if let Some(word) = index.and_then(|index| words.get_mut(usize::try_from(index).ok()?)) {
            *word = address;
        }
    })?;
    Ok(Some(words))
}
