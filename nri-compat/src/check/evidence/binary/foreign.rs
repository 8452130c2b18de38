//! Headers of programs for other systems than Linux: PE, and Mach-O for one architecture.

use object::macho::{MachHeader32, MachHeader64};
use object::pe::{ImageDosHeader, ImageNtHeaders32, ImageNtHeaders64};
use object::read::macho::{MachHeader, Section as _, Segment as _};
use object::read::pe::{ImageNtHeaders, ImageOptionalHeader};
use object::{Endianness, LittleEndian};

use super::bytes::Layout;
use super::window::part;
use super::{Headers, MAX_ENTRIES, Section, Segment, Tables, cache};
use crate::check::content::File;

/// The size of a 64-bit file header in bytes.
const MACH_O_HEADER: u64 = 32;

/// Reads the headers of a file that starts as Mach-O.
pub(super) fn mach_o(file: &File<'_>) -> Headers {
    let wide = file.head.contains(&0xcf);
    let layout = Layout {
        wide,
        big: file.head.first() == Some(&0xfe),
    };
    let mut read = Headers::unreadable(layout, MACH_O_HEADER);
    let cache = cache(file.content);
    if wide {
        read_mach_o::<MachHeader64<Endianness>>(&mut read, Tables(&cache));
    } else {
        read_mach_o::<MachHeader32<Endianness>>(&mut read, Tables(&cache));
    }
    read
}

fn read_mach_o<H: MachHeader<Endian = Endianness>>(
    read: &mut Headers,
    data: Tables<'_, '_>,
) -> Option<()> {
    let header = H::parse(data, 0).ok()?;
    let endian = header.endian().ok()?;
    let size = u64::from(header.sizeofcmds(endian));
    read.loaded_end = read.loaded_end.max(MACH_O_HEADER + size);
    read.end = read.loaded_end;
    let mut commands = header.load_commands(endian, data, 0).ok()?;
    for _ in 0..MAX_ENTRIES {
        let Some(command) = commands.next().ok()? else {
            break;
        };
        if let Some((segment, sections)) = H::Segment::from_command(command).ok()? {
            read.segments.push(Segment {
                address: segment.vmaddr(endian).into(),
                offset: segment.fileoff(endian).into(),
                size: segment.filesize(endian).into(),
            });
            let sections = segment.sections(endian, sections).ok()?;
            read.sections.extend(sections.iter().map(|section| Section {
                name: String::from_utf8_lossy(section.name()).into_owned(),
                offset: section.offset(endian).into(),
                size: section.size(endian).into(),
            }));
        }
    }
    read.end_with_segments();
    Some(())
}

/// The size of a DOS header in bytes.
const DOS_HEADER: u64 = 64;
const PE_HEADER: usize = 0x3c;
/// The offset of the relocation table in a DOS header; in PE files the table is after the header.
const RELOCATIONS: usize = 0x18;
/// The first bytes of a PE header.
const SIGNATURE: &[u8] = b"PE\0\0";
const MAGIC: u64 = 24;
const WIDE: [u8; 2] = [0x0b, 0x02];
const LITTLE: Layout = Layout {
    wide: false,
    big: false,
};

/// Returns true if a file that starts with `MZ` is a PE file, may be a PE file with damaged
/// headers, or ends before that can be determined.
pub(super) fn is_pe(file: &File<'_>) -> bool {
    let Some(start) = LITTLE.u32(&file.head, PE_HEADER) else {
        return true;
    };
    let signature = part(file.content, u64::from(start), SIGNATURE.len() as u64);
    let behind = LITTLE.u16(&file.head, RELOCATIONS) == Some(0x40);
    behind || signature.is_ok_and(|found| *found == *SIGNATURE)
}

/// Reads the headers of a file that starts as PE.
pub(super) fn pe(file: &File<'_>) -> Headers {
    let start = LITTLE.u32(&file.head, PE_HEADER).map_or(0, u64::from);
    let wide = part(file.content, start + MAGIC, 2).is_ok_and(|magic| *magic == WIDE);
    let mut read = Headers::unreadable(Layout { wide, big: false }, DOS_HEADER.max(start + MAGIC));
    let cache = cache(file.content);
    if wide {
        read_pe::<ImageNtHeaders64>(&mut read, Tables(&cache));
    } else {
        read_pe::<ImageNtHeaders32>(&mut read, Tables(&cache));
    }
    read
}

fn read_pe<H: ImageNtHeaders>(read: &mut Headers, data: Tables<'_, '_>) -> Option<()> {
    let dos = ImageDosHeader::parse(data).ok()?;
    let mut offset = dos.nt_headers_offset().into();
    let (header, _) = H::parse(data, &mut offset).ok()?;
    let base = header.optional_header().image_base();
    let sections = header.sections(data, offset).ok()?;
    for header in sections.iter().take(MAX_ENTRIES) {
        let (offset, size) = (
            header.pointer_to_raw_data.get(LittleEndian).into(),
            header.size_of_raw_data.get(LittleEndian).into(),
        );
        read.sections.push(Section {
            name: String::from_utf8_lossy(header.raw_name()).into_owned(),
            offset,
            size,
        });
        read.segments.push(Segment {
            address: base.saturating_add(header.virtual_address.get(LittleEndian).into()),
            offset,
            size,
        });
    }
    read.end_with_segments();
    Some(())
}
