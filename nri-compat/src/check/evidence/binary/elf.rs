//! Headers of ELF files: 32 and 64 bits, either byte order.

use object::Endianness;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use super::bytes::Layout;
use super::{Headers, MAX_ENTRIES, Section, Segment, Tables, cache};
use crate::check::content::File;

/// The size of a 64-bit file header in bytes.
const FILE_HEADER: u64 = 64;
/// The names that linkers give to the section with the section names.
const NAME_SECTIONS: [&str; 2] = [".shstrtab", ".strtab"];

/// Reads the headers of a file that starts as ELF.
pub(super) fn read(file: &File<'_>) -> Headers {
    let cache = cache(file.content);
    let read = if file.head.get(4) == Some(&1) {
        of_class::<FileHeader32<Endianness>>(Tables(&cache), file)
    } else {
        of_class::<FileHeader64<Endianness>>(Tables(&cache), file)
    };
    read.unwrap_or_else(|| {
        let layout = Layout {
            wide: file.head.get(4) != Some(&1),
            big: file.head.get(5) == Some(&2),
        };
        Headers::unreadable(layout, FILE_HEADER)
    })
}

/// A section header, in the terms of this module.
struct Raw {
    name: String,
    kind: elf::SectionType,
    allocated: bool,
    address: u64,
    offset: u64,
    size: u64,
}

impl Raw {
    /// Returns true if the file has bytes for it.
    fn in_file(&self) -> bool {
        self.kind != elf::SHT_NOBITS && self.kind != elf::SHT_NULL
    }

    /// Returns true if the file has bytes that are loaded for it.
    fn is_loaded(&self) -> bool {
        self.allocated && self.in_file() && self.size > 0
    }

    fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

fn of_class<H: FileHeader<Endian = Endianness>>(
    data: Tables<'_, '_>,
    file: &File<'_>,
) -> Option<Headers> {
    let header = H::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let layout = Layout {
        wide: header.is_type_64(),
        big: header.is_big_endian(),
    };
    let table_end = header
        .e_phoff(endian)
        .into()
        .saturating_add(u64::from(header.e_phentsize(endian)) * u64::from(header.e_phnum(endian)));
    let mut read = Headers::unreadable(layout, FILE_HEADER.max(table_end));
    read.segments = segments::<H>(header, endian, data);
    read.end_with_segments();
    read.relative = relative(header.e_machine(endian));
    read.stripped = header.e_shoff(endian).into() == 0;
    read.starts = !is_no_program::<H>(header, endian);
    sections::<H>(&mut read, header, endian, data, file.content.len());
    Some(read)
}

/// Returns true if it is an object file or a core dump. A file with the parts of a program is a
/// program, whatever its type says.
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
    let loaded = headers
        .iter()
        .filter(|header| header.p_type(endian) == elf::PT_LOAD);
    let segments = loaded.map(|header| Segment {
        address: header.p_vaddr(endian).into(),
        offset: header.p_offset(endian).into(),
        size: header.p_filesz(endian).into(),
    });
    segments.take(MAX_ENTRIES).collect()
}

/// Adds the sections and the properties that depend on them.
fn sections<H: FileHeader<Endian = Endianness>>(
    read: &mut Headers,
    header: &H,
    endian: Endianness,
    data: Tables<'_, '_>,
    length: u64,
) {
    let Some((raw, names)) = raw_sections::<H>(header, endian, data) else {
        return;
    };
    read.sound = agree(&raw, names, &read.segments);
    if raw.iter().any(Raw::in_file) && !raw.iter().any(|raw| raw.is_loaded() && !is_note(raw)) {
        // Separate debug information: its segments are those of the program.
        read.starts &= read.loaded_end <= length;
    }
    let table = header.e_shoff(endian).into();
    let table = table
        .saturating_add(u64::from(header.e_shentsize(endian)) * u64::from(header.e_shnum(endian)));
    let in_file = raw.into_iter().filter(Raw::in_file);
    read.sections = in_file
        .map(|raw| Section {
            name: raw.name,
            offset: raw.offset,
            size: raw.size,
        })
        .collect();
    let ends = read.sections.iter().map(Section::end);
    read.end = ends.fold(read.end.max(table), u64::max);
}

fn is_note(raw: &Raw) -> bool {
    raw.kind == elf::SHT_NOTE
}

/// Returns the section headers with their names, and the index of the section with the names.
fn raw_sections<H: FileHeader<Endian = Endianness>>(
    header: &H,
    endian: Endianness,
    data: Tables<'_, '_>,
) -> Option<(Vec<Raw>, usize)> {
    let headers = header.section_headers(endian, data).ok()?;
    let names = usize::try_from(header.shstrndx(endian, data).ok()?).ok()?;
    let texts = headers.get(names)?.data(endian, data).ok()?;
    let name = |at: u32| {
        let names = texts.get(usize::try_from(at).ok()?..)?;
        let name = names.split(|byte| *byte == 0).next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    };
    let raw = headers.iter().take(MAX_ENTRIES).map(|header| Raw {
        name: name(header.sh_name(endian)).unwrap_or_default(),
        kind: header.sh_type(endian),
        allocated: header.sh_flags(endian).contains(elf::SHF_ALLOC),
        address: header.sh_addr(endian).into(),
        offset: header.sh_offset(endian).into(),
        size: header.sh_size(endian).into(),
    });
    Some((raw.collect(), names))
}

/// Returns true if section headers agree with each other and the segments: each loaded section is
/// in a segment at the offset that its address implies, and none overlaps the next.
fn agree(raw: &[Raw], names: usize, segments: &[Segment]) -> bool {
    let begins = raw.first().is_some_and(|raw| raw.kind == elf::SHT_NULL);
    let named = raw.get(names).is_some_and(|raw| {
        raw.kind == elf::SHT_STRTAB && NAME_SECTIONS.contains(&raw.name.as_str())
    });
    let mut loaded: Vec<&Raw> = raw.iter().filter(|raw| raw.is_loaded()).collect();
    loaded.sort_by_key(|raw| raw.offset);
    let apart = loaded.is_sorted_by(|a, b| a.end() <= b.offset);
    let in_place = |raw: &&Raw| segments.iter().any(|segment| lies_in(raw, segment));
    begins && named && apart && !loaded.is_empty() && loaded.iter().all(in_place)
}

fn lies_in(raw: &Raw, segment: &Segment) -> bool {
    let into = raw.offset.checked_sub(segment.offset);
    let fits = into.is_some_and(|into| {
        into.checked_add(raw.size)
            .is_some_and(|end| end <= segment.size)
    });
    fits && into == raw.address.checked_sub(segment.address)
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
