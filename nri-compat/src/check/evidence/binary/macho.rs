//! Headers of Mach-O files for one architecture.

use object::Endianness;
use object::macho::{MachHeader32, MachHeader64};
use object::read::macho::{MachHeader, Section as _, Segment as _};

use super::bytes::Layout;
use super::source::{Tables, cache};
use super::{Headers, MAX_ENTRIES, Section, Segment};
use crate::check::content::File;

/// The size of a 64-bit file header in bytes.
const FILE_HEADER: u64 = 32;

/// Reads the headers of a file that starts as Mach-O.
pub(super) fn read(file: &File<'_>) -> Headers {
    let wide = file.head.contains(&0xcf);
    let layout = Layout {
        wide,
        big: file.head.first() == Some(&0xfe),
    };
    let mut read = Headers::unreadable(layout, FILE_HEADER);
    let cache = cache(file.content);
    if wide {
        of_class::<MachHeader64<Endianness>>(&mut read, Tables(&cache));
    } else {
        of_class::<MachHeader32<Endianness>>(&mut read, Tables(&cache));
    }
    read
}

fn of_class<H: MachHeader<Endian = Endianness>>(
    read: &mut Headers,
    data: Tables<'_, '_>,
) -> Option<()> {
    let header = H::parse(data, 0).ok()?;
    let endian = header.endian().ok()?;
    let size = u64::from(header.sizeofcmds(endian));
    read.loaded_end = read.loaded_end.max(FILE_HEADER + size);
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
