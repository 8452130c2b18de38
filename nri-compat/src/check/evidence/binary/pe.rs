//! Headers of PE files.

use super::bytes::{Layout, until_zero};
use super::{Format, Image, MANY, Section, Segment};
use crate::check::content::Content;
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::window::part;

const LITTLE: Layout = Layout {
    wide: false,
    big: false,
};
/// Bytes of the file header behind `PE\0\0`, of a section header.
const FILE_HEADER: usize = 24;
const SECTION: usize = 40;

/// Whether a file that starts with `MZ` goes on as PE.
pub(super) fn is_pe(head: &[u8]) -> bool {
    header(head).is_some_and(|header| header.starts_with(b"PE\0\0"))
}

fn header(head: &[u8]) -> Option<&[u8]> {
    head.get(usize::try_from(LITTLE.u32(head, 0x3c)?).ok()?..)
}

pub(super) fn read<'c>(
    content: &'c dyn Content,
    head: &[u8],
) -> Result<Option<Image<'c>>, Unreadable> {
    let start = LITTLE.u32(head, 0x3c).unwrap_or_default();
    let headers = part(content, u64::from(start), 1 << 16)?;
    Ok(image(content, &headers))
}

fn image<'c>(content: &'c dyn Content, headers: &[u8]) -> Option<Image<'c>> {
    let count = usize::from(LITTLE.u16(headers, 6)?).min(MANY);
    let optional = usize::from(LITTLE.u16(headers, 20)?);
    let wide = LITTLE.u16(headers, FILE_HEADER)? == 0x20b;
    let layout = Layout { wide, big: false };
    let base = layout.pointer(headers, FILE_HEADER + if wide { 24 } else { 28 })?;
    let mut image = Image {
        content,
        layout,
        format: Format::Pe,
        sections: Vec::new(),
        segments: Vec::new(),
        relative: None,
    };
    let table = headers.get(FILE_HEADER + optional..)?;
    for header in table.chunks_exact(SECTION).take(count) {
        let offset = u64::from(LITTLE.u32(header, 20)?);
        let size = u64::from(LITTLE.u32(header, 16)?);
        image.sections.push(Section {
            name: String::from_utf8_lossy(until_zero(header.get(..8)?)).into_owned(),
            offset,
            size,
        });
        image.segments.push(Segment {
            address: base.checked_add(u64::from(LITTLE.u32(header, 12)?))?,
            offset,
            size,
        });
    }
    Some(image)
}
