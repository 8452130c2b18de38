//! Small generated ELF programs: one loaded segment with code and constants, and section headers.

/// The size of the file header in bytes.
pub const FILE_HEADER: usize = 64;
/// The size of a program header in bytes.
pub const PROGRAM_HEADER: usize = 56;
/// The size of a section header in bytes.
pub const SECTION_HEADER: usize = 64;

const BASE: u64 = 0x40_0000;
const CODE: usize = 256;

/// A program and the offsets of its parts.
pub struct Elf {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// The end of the loaded part.
    pub loaded: usize,
    /// The start of the section headers.
    pub sections: usize,
}

impl Elf {
    /// Returns the program without its section headers and their names, as left by tools that strip
    /// everything.
    #[must_use]
    pub fn without_sections(&self) -> Vec<u8> {
        let mut bytes = self.bytes[..self.loaded].to_vec();
        bytes[40..48].fill(0);
        bytes[58..64].fill(0);
        bytes
    }

    /// Returns the places of the headers in the file.
    pub fn headers(&self) -> impl Iterator<Item = usize> {
        (0..FILE_HEADER + PROGRAM_HEADER).chain(self.sections..self.bytes.len())
    }
}

/// Creates a 64-bit program with these constants.
#[must_use]
pub fn with(constants: &[u8]) -> Elf {
    let code = FILE_HEADER + PROGRAM_HEADER;
    let start = code + CODE;
    let loaded = start + constants.len();
    let names = b"\0.text\0.rodata\0.shstrtab\0";
    let sections = (loaded + names.len()).next_multiple_of(8);
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    for number in [2u16, 62] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(1u32.to_le_bytes());
    for number in [BASE + code as u64, FILE_HEADER as u64, sections as u64] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(0u32.to_le_bytes());
    for number in [FILE_HEADER, PROGRAM_HEADER, 1, SECTION_HEADER, 4, 3] {
        bytes.extend(u16::try_from(number).expect("small").to_le_bytes());
    }
    // A segment to load, readable and executable.
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(5u32.to_le_bytes());
    for number in [0, BASE, BASE, loaded as u64, loaded as u64, 4096] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.resize(start, 0x90);
    bytes.extend(constants);
    bytes.extend(names);
    bytes.resize(sections, 0);
    bytes.resize(sections + SECTION_HEADER, 0);
    section(&mut bytes, [1, 1], 6, [BASE + code as u64, code as u64, CODE as u64]);
    let place = [BASE + start as u64, start as u64, constants.len() as u64];
    section(&mut bytes, [7, 1], 2, place);
    section(&mut bytes, [15, 3], 0, [0, loaded as u64, names.len() as u64]);
    Elf { bytes, loaded, sections }
}

fn section(bytes: &mut Vec<u8>, name_and_kind: [u32; 2], flags: u64, place: [u64; 3]) {
    for number in name_and_kind {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(flags.to_le_bytes());
    for number in place {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([0; 8]);
    bytes.extend(1u64.to_le_bytes());
    bytes.extend([0; 8]);
}
