//! Headers of ELF files: 32 and 64 bits, either byte order.

use super::bytes::{Layout, until_zero};
use super::{Format, Image, MANY, Section, Segment};
use crate::check::content::Content;
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::window::part;

const NO_BITS: u32 = 8;
const LOAD: u32 = 1;

/// Where a header table is and how its entries are.
struct Table {
    offset: u64,
    entry: usize,
    count: usize,
}

/// Offsets of the fields in use, which differ between 32 and 64 bits.
struct Fields {
    /// ELF header: program headers, section headers, their sizes and counts.
    programs: usize,
    sections: usize,
    sizes: usize,
    /// Program header: offset, address, bytes in the file.
    segment: [usize; 3],
    /// Section header: offset, size.
    section: [usize; 2],
}

const WIDE: Fields = Fields {
    programs: 32,
    sections: 40,
    sizes: 54,
    segment: [8, 16, 32],
    section: [24, 32],
};
const NARROW: Fields = Fields {
    programs: 28,
    sections: 32,
    sizes: 42,
    segment: [4, 8, 16],
    section: [16, 20],
};

pub(super) fn read<'c>(
    content: &'c dyn Content,
    head: &[u8],
) -> Result<Option<Image<'c>>, Unreadable> {
    let Some(layout) = layout(head) else {
        return Ok(None);
    };
    let fields = if layout.wide { &WIDE } else { &NARROW };
    let Some((programs, sections, names)) = tables(layout, fields, head) else {
        return Ok(None);
    };
    let segments = segments(
        layout,
        fields,
        &programs,
        &part(content, programs.offset, programs.bytes())?,
    );
    let sections = match part(content, sections.offset, sections.bytes())? {
        headers if headers.is_empty() => Vec::new(),
        headers => named(content, layout, fields, &sections, &headers, names)?,
    };
    Ok(Some(Image {
        content,
        layout,
        format: Format::Elf,
        sections,
        segments,
        relative: layout.u16(head, 18).and_then(relative),
    }))
}

fn layout(head: &[u8]) -> Option<Layout> {
    let wide = match head.get(4)? {
        1 => false,
        2 => true,
        _ => return None,
    };
    let big = match head.get(5)? {
        1 => false,
        2 => true,
        _ => return None,
    };
    Some(Layout { wide, big })
}

/// Program headers, section headers, and which section holds the names.
fn tables(layout: Layout, fields: &Fields, head: &[u8]) -> Option<(Table, Table, usize)> {
    let size = |place: usize| Some(usize::from(layout.u16(head, fields.sizes + 2 * place)?));
    let programs = Table {
        offset: layout.pointer(head, fields.programs)?,
        entry: size(0)?,
        count: size(1)?.min(MANY),
    };
    let sections = Table {
        offset: layout.pointer(head, fields.sections)?,
        entry: size(2)?,
        count: size(3)?.min(MANY),
    };
    Some((programs, sections, size(4)?))
}

impl Table {
    fn bytes(&self) -> u64 {
        // Without a place there is no table: entries are not at the start of the file.
        let bytes = (self.entry * self.count) as u64;
        if self.offset == 0 { 0 } else { bytes }
    }

    fn entries<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = &'b [u8]> {
        bytes.chunks_exact(self.entry.max(1))
    }
}

fn segments(layout: Layout, fields: &Fields, table: &Table, headers: &[u8]) -> Vec<Segment> {
    let loaded = table
        .entries(headers)
        .filter(|header| layout.u32(header, 0) == Some(LOAD));
    let [offset, address, size] = fields.segment;
    loaded
        .filter_map(|header| {
            Some(Segment {
                address: layout.pointer(header, address)?,
                offset: layout.pointer(header, offset)?,
                size: layout.pointer(header, size)?,
            })
        })
        .collect()
}

fn named(
    content: &dyn Content,
    layout: Layout,
    fields: &Fields,
    table: &Table,
    headers: &[u8],
    names: usize,
) -> Result<Vec<Section>, Unreadable> {
    let place = |header: &[u8]| {
        let [offset, size] = fields.section;
        Some((
            layout.pointer(header, offset)?,
            layout.pointer(header, size)?,
        ))
    };
    let Some((offset, size)) = table.entries(headers).nth(names).and_then(place) else {
        return Ok(Vec::new());
    };
    let names = part(content, offset, size.min(1 << 16))?;
    let sections = table.entries(headers).filter_map(|header| {
        let in_file = layout.u32(header, 4)? != NO_BITS;
        let name = names.get(usize::try_from(layout.u32(header, 0)?).ok()?..)?;
        let (offset, size) = place(header)?;
        in_file.then(|| Section {
            name: String::from_utf8_lossy(until_zero(name)).into_owned(),
            offset,
            size,
        })
    });
    Ok(sections.collect())
}

/// `R_*_RELATIVE` of a machine whose relocations carry the address, by the psABI of each.
fn relative(machine: u16) -> Option<u32> {
    match machine {
        21 => Some(22),       // 64-bit PowerPC
        22 => Some(12),       // s390x
        62 => Some(8),        // x86-64
        183 => Some(1027),    // AArch64
        243 | 258 => Some(3), // RISC-V, LoongArch
        _ => None,
    }
}
