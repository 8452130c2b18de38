//! Headers of Mach-O files for one architecture.

use super::bytes::{Layout, until_zero};
use super::{Format, Image, MANY, Section, Segment};
use crate::check::content::Content;
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::window::part;

/// Offsets of the fields in use: load commands, and in a segment command and its sections.
struct Fields {
    command: u32,
    commands: usize,
    address: usize,
    offset: usize,
    size: usize,
    count: usize,
    sections: usize,
    section: usize,
    section_size: usize,
    section_offset: usize,
}

const WIDE: Fields = Fields {
    command: 0x19,
    commands: 32,
    address: 24,
    offset: 40,
    size: 48,
    count: 64,
    sections: 72,
    section: 80,
    section_size: 40,
    section_offset: 48,
};
const NARROW: Fields = Fields {
    command: 1,
    commands: 28,
    address: 24,
    offset: 32,
    size: 36,
    count: 48,
    sections: 56,
    section: 68,
    section_size: 36,
    section_offset: 40,
};

pub(super) fn read<'c>(
    content: &'c dyn Content,
    head: &[u8],
) -> Result<Option<Image<'c>>, Unreadable> {
    let layout = Layout {
        wide: head.first() == Some(&0xcf),
        big: false,
    };
    let fields = if layout.wide { &WIDE } else { &NARROW };
    let (Some(count), Some(size)) = (layout.u32(head, 16), layout.u32(head, 20)) else {
        return Ok(None);
    };
    let commands = part(
        content,
        fields.commands as u64,
        u64::from(size.min(1 << 20)),
    )?;
    let mut image = Image {
        content,
        layout,
        format: Format::MachO,
        sections: Vec::new(),
        segments: Vec::new(),
        relative: None,
    };
    let mut rest: &[u8] = &commands;
    for _ in 0..MANY.min(usize::try_from(count).unwrap_or(MANY)) {
        let Some((kind, size)) = layout.u32(rest, 0).zip(layout.u32(rest, 4)) else {
            break;
        };
        let size = usize::try_from(size).unwrap_or(usize::MAX).max(8);
        if kind == fields.command {
            segment(&mut image, fields, rest.get(..size).unwrap_or(rest));
        }
        rest = rest.get(size..).unwrap_or_default();
    }
    Ok(Some(image))
}

fn segment(image: &mut Image<'_>, fields: &Fields, command: &[u8]) -> Option<()> {
    let layout = image.layout;
    image.segments.push(Segment {
        address: layout.pointer(command, fields.address)?,
        offset: layout.pointer(command, fields.offset)?,
        size: layout.pointer(command, fields.size)?,
    });
    let count = usize::try_from(layout.u32(command, fields.count)?).ok()?;
    let sections = command.get(fields.sections..)?.chunks_exact(fields.section);
    for header in sections.take(count.min(MANY)) {
        let name = until_zero(header.get(..16)?);
        image.sections.push(Section {
            name: String::from_utf8_lossy(name).into_owned(),
            offset: u64::from(layout.u32(header, fields.section_offset)?),
            size: layout.pointer(header, fields.section_size)?,
        });
    }
    Some(())
}
