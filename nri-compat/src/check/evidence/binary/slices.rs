//! Mach-O files for several architectures: one complete program for each.

use std::io;

use object::macho::{FatArch32, FatArch64};
use object::read::macho::{FatArch, MachOFatFile};

use super::source::{Tables, cache};
use super::{Format, format};
use crate::check::content::{Content as _, File, Slice};
use crate::check::head::HEAD;

/// The maximum number of architectures: a Java class starts with the same four bytes, and its
/// version number is larger.
const MAX_ARCHITECTURES: u8 = 40;

/// Returns true if a file starts as Mach-O for several architectures.
pub(super) fn is_fat(head: &[u8]) -> bool {
    match head {
        [0xca, 0xfe, 0xba, 0xbe | 0xbf, 0, 0, 0, count, ..] => {
            (1..=MAX_ARCHITECTURES).contains(count)
        }
        _ => false,
    }
}

impl Slice<'_> {
    /// Returns the part as a file, and its format if it is a program.
    pub(crate) fn file<'s>(&'s self, of: &File<'_>) -> io::Result<(File<'s>, Option<Format>)> {
        let mut head = vec![0; HEAD];
        let filled = self.read_at(0, &mut head)?;
        head.truncate(filled);
        let file = File {
            place: of.place.clone(),
            name: of.name.clone(),
            head: head.into(),
            content: self,
            disk: None,
        };
        let format = format(&file).filter(|format| *format != Format::FatMachO);
        Ok((file, format))
    }
}

/// Returns the programs in a Mach-O file for several architectures; `None` if its table cannot be read.
pub(crate) fn slices<'c>(file: &File<'c>) -> Option<Vec<Slice<'c>>> {
    let cache = cache(file.content);
    let ranges = if file.head.get(3) == Some(&0xbf) {
        ranges::<FatArch64>(Tables(&cache))
    } else {
        ranges::<FatArch32>(Tables(&cache))
    };
    let slices = ranges?.into_iter();
    Some(
        slices
            .map(|(offset, size)| Slice::new(file.content, offset, size))
            .collect(),
    )
}

fn ranges<A: FatArch>(data: Tables<'_, '_>) -> Option<Vec<(u64, u64)>> {
    let file = MachOFatFile::<A>::parse(data).ok()?;
    Some(file.arches().iter().map(FatArch::file_range).collect())
}
