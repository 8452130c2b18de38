//! Headers of ELF files: 32 and 64 bits, either byte order.

use object::Endianness;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::read::{ReadCache, ReadRef};

use super::bytes::Layout;
use super::{Headers, Section, Segment};
use crate::check::content::{File, Stream};

/// The maximum size of a table of headers in bytes: 65,535 section headers of 64 bytes are smaller.
const MAX_TABLE: u64 = 4 << 20;

/// The maximum number of sections or segments.
const MAX_ENTRIES: usize = 4096;

/// The size of a 64-bit file header in bytes.
const FILE_HEADER: u64 = 64;
/// The names that linkers give to the section with the section names.
const NAME_SECTIONS: [&str; 2] = [".shstrtab", ".strtab"];

/// Reads the headers of a file that starts as ELF, as far as possible.
pub(super) fn read(file: &File<'_>) -> Headers {
    let layout = Layout { wide: file.head.get(4) != Some(&1), big: file.head.get(5) == Some(&2) };
    let mut read = Headers {
        layout,
        sections: Vec::new(),
        segments: Vec::new(),
        relative: None,
        sound: false,
        stripped: false,
        loaded_end: FILE_HEADER,
        end: FILE_HEADER,
        starts: true,
    };
    let cache = ReadCache::new(Stream::new(file.content));
    let (data, length) = (Tables(&cache), file.content.len());
    let _ = if layout.wide {
        fill::<FileHeader64<Endianness>>(&mut read, data, length)
    } else {
        fill::<FileHeader32<Endianness>>(&mut read, data, length)
    };
    read
}

/// A cached file that returns only tables up to [`MAX_TABLE`], so that headers cannot exhaust
/// memory.
#[derive(Clone, Copy)]
struct Tables<'a, 'c>(&'a ReadCache<Stream<'c>>);

impl<'a> ReadRef<'a> for Tables<'a, '_> {
    fn len(self) -> Result<u64, ()> {
        ReadRef::len(self.0)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        if size > MAX_TABLE {
            return Err(());
        }
        self.0.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(
        self,
        range: std::ops::Range<u64>,
        delimiter: u8,
    ) -> Result<&'a [u8], ()> {
        self.0.read_bytes_at_until(range, delimiter)
    }
}

impl Section {
    /// Returns true if the file has bytes for it.
    fn in_file(&self) -> bool {
        self.kind != elf::SHT_NOBITS && self.kind != elf::SHT_NULL
    }

    /// Returns true if the file has bytes that are loaded for it.
    fn is_loaded(&self) -> bool {
        self.is_allocated && self.in_file() && self.size > 0
    }

    /// Returns true if it is loaded by this segment, at the offset that its address implies.
    fn lies_in(&self, segment: &Segment) -> bool {
        let into = self.offset.checked_sub(segment.offset);
        let end = into.and_then(|into| into.checked_add(self.size));
        end.is_some_and(|end| end <= segment.size)
            && into == self.address.checked_sub(segment.address)
    }
}

/// Fills in the segments and sections, and the properties that depend on them; returns `None` where
/// something cannot be read.
fn fill<H: FileHeader<Endian = Endianness>>(
    read: &mut Headers,
    data: Tables<'_, '_>,
    length: u64,
) -> Option<()> {
    let header = H::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let program_headers_end = table_end(
        header.e_phoff(endian).into(),
        header.e_phentsize(endian),
        header.e_phnum(endian),
    );
    read.segments = segments::<H>(header, endian, data);
    let segment_ends = read.segments.iter().map(Segment::end);
    read.loaded_end = segment_ends.fold(FILE_HEADER.max(program_headers_end), u64::max);
    read.end = read.loaded_end;
    read.relative = relative(header.e_machine(endian));
    read.stripped = header.e_shoff(endian).into() == 0;
    read.starts = !is_no_program::<H>(header, endian);
    let (mut sections, names) = named_sections::<H>(header, endian, data)?;
    read.sound = agree(&sections, names, &read.segments);
    sections.retain(Section::in_file);
    let holds_code = |section: &Section| section.is_loaded() && section.kind != elf::SHT_NOTE;
    if !sections.is_empty() && !sections.iter().any(holds_code) {
        // Separate debug information: its segments are those of the program.
        read.starts &= read.loaded_end <= length;
    }
    let section_headers_end = table_end(
        header.e_shoff(endian).into(),
        header.e_shentsize(endian),
        header.e_shnum(endian),
    );
    let section_ends = sections.iter().map(Section::end);
    read.end = section_ends.fold(read.end.max(section_headers_end), u64::max);
    read.sections = sections;
    Some(())
}

/// Returns the end of a table of `count` headers, each of `size` bytes.
fn table_end(start: u64, size: u16, count: u16) -> u64 {
    start.saturating_add(u64::from(size) * u64::from(count))
}

/// Returns true if it is an object file or a core dump. A file with the parts of a program is a
/// program, regardless of its type.
fn is_no_program<H: FileHeader<Endian = Endianness>>(header: &H, endian: Endianness) -> bool {
    match header.e_type(endian) {
        elf::ET_REL => header.e_phnum(endian) == 0,
        elf::ET_CORE => header.e_shnum(endian) == 0,
        _ => false,
    }
}

fn segments<H: FileHeader<Endian = Endianness>>(
    header: &H,
    endian: Endianness,
    data: Tables<'_, '_>,
) -> Vec<Segment> {
    let headers = header.program_headers(endian, data).unwrap_or_default();
    let loaded = headers.iter().filter(|segment| segment.p_type(endian) == elf::PT_LOAD);
    let segments = loaded.map(|segment| Segment {
        address: segment.p_vaddr(endian).into(),
        offset: segment.p_offset(endian).into(),
        size: segment.p_filesz(endian).into(),
    });
    segments.take(MAX_ENTRIES).collect()
}

/// Returns the section headers with their names, and the index of the section with the names.
fn named_sections<H: FileHeader<Endian = Endianness>>(
    header: &H,
    endian: Endianness,
    data: Tables<'_, '_>,
) -> Option<(Vec<Section>, usize)> {
    let headers = header.section_headers(endian, data).ok()?;
    let names = usize::try_from(header.shstrndx(endian, data).ok()?).ok()?;
    let texts = headers.get(names)?.data(endian, data).ok()?;
    let name = |at: u32| {
        let rest = texts.get(usize::try_from(at).ok()?..)?;
        let name = rest.split(|byte| *byte == 0).next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    };
    let sections = headers.iter().take(MAX_ENTRIES).map(|section| Section {
        name: name(section.sh_name(endian)).unwrap_or_default(),
        kind: section.sh_type(endian),
        is_allocated: section.sh_flags(endian).contains(elf::SHF_ALLOC),
        address: section.sh_addr(endian).into(),
        offset: section.sh_offset(endian).into(),
        size: section.sh_size(endian).into(),
    });
    Some((sections.collect(), names))
}

/// Returns true if section headers agree with each other and the segments: each loaded section is
/// in a segment at the offset that its address implies, and none overlaps the next.
fn agree(sections: &[Section], names: usize, segments: &[Segment]) -> bool {
    let begins = sections.first().is_some_and(|section| section.kind == elf::SHT_NULL);
    let named = sections.get(names).is_some_and(|section| {
        section.kind == elf::SHT_STRTAB && NAME_SECTIONS.contains(&section.name.as_str())
    });
    let mut loaded: Vec<_> = sections.iter().filter(|section| section.is_loaded()).collect();
    loaded.sort_by_key(|section| section.offset);
    let apart = loaded.is_sorted_by(|a, b| a.end() <= b.offset);
    let in_place = |section: &&Section| segments.iter().any(|segment| section.lies_in(segment));
    begins && named && apart && !loaded.is_empty() && loaded.iter().all(in_place)
}

/// Returns `R_*_RELATIVE` of a machine whose relocations contain the address, by the psABI of each.
fn relative(machine: elf::Machine) -> Option<u32> {
    match machine {
        elf::EM_PPC64 => Some(22),
        elf::EM_S390 => Some(12),
        elf::EM_X86_64 => Some(8),
        elf::EM_AARCH64 => Some(1027),
        elf::EM_RISCV | elf::EM_LOONGARCH => Some(3),
        _ => None,
    }
}
