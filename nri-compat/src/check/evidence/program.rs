//! Executables: passes each to the reader of its kind, and reports those that cannot be read
//! completely.
//!
//! A program whose code is missing or hidden may be a plugin. It is always reported:
//!
//! | found | reported |
//! | --- | --- |
//! | a file that starts like a program and ends before the parts that its headers load | `unknown`, whatever it contains |
//! | damaged headers, but a complete file | the result of searching the whole file without the headers |
//! | packed (UPX, appended archives), obfuscated, or without section headers and of an unsupported kind | `unknown` |
//! | object files, core dumps, debug information | nothing: no system starts them |

use super::binary::{Format, Image, format, slices};
use super::{Reader, Unreadable, go_binary, opaque, rust_binary};
use crate::check::content::File;
use crate::sighting::Sighting;
use crate::skipped::SkipKind;

/// The name of the reader in evidence.
const NAME: &str = "program";

/// The reader of executables: ELF, PE and Mach-O, including universal binaries.
///
/// ```
/// use nri_compat::check::content::File;
/// use nri_compat::check::evidence::Reader;
/// use nri_compat::check::evidence::program::Program;
/// use nri_compat::sighting::Interface;
///
/// // The first bytes of a program, and nothing behind them.
/// let content: &[u8] = b"\x7fELF\x02\x01\x01";
/// let file = File { place: "10-a".into(), name: "10-a".into(), head: content.to_vec().into(), content: &content, disk: None };
/// let seen = Program.read(&file).expect("readable");
/// assert!(matches!(seen[0].interface, Interface::Unknown(_)));
/// ```
pub struct Program;

impl Reader for Program {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        format(file).is_some()
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        match format(file) {
            None => Ok(Vec::new()),
            Some(Format::FatMachO) => fat(file),
            Some(format) => one(file, format),
        }
    }
}

/// Reads each program of a Mach-O file for several architectures; equal results are reported once.
fn fat(file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
    let Some(slices) = slices(file) else {
        let image = Image::read(file, Format::FatMachO);
        return Ok(vec![opaque::cut_short(file, &image)?]);
    };
    let mut all = Vec::new();
    for slice in &slices {
        let (part, format) = slice
            .file(file)
            .map_err(|error| Unreadable::new(SkipKind::Io, format!("cannot be read: {error}")))?;
        let seen = match format {
            Some(format) => one(&part, format)?,
            None if slice.is_cut() => {
                vec![opaque::cut_short(
                    &part,
                    &Image::read(&part, Format::FatMachO),
                )?]
            }
            // A library of object files, or something else that is not started.
            None => Vec::new(),
        };
        for sighting in seen {
            if !all.contains(&sighting) {
                all.push(sighting);
            }
        }
    }
    Ok(all)
}

fn one(file: &File<'_>, format: Format) -> Result<Vec<Sighting>, Unreadable> {
    if let Some(packed) = opaque::packed(file) {
        return Ok(vec![packed]);
    }
    let image = Image::read(file, format);
    if !image.headers.starts {
        return Ok(Vec::new());
    }
    if image.missing() > 0 {
        return Ok(vec![opaque::cut_short(file, &image)?]);
    }
    let go = go_binary::read(file, &image)?;
    let seen = match &go {
        // Only other linkers combine Go with code of other languages, and they keep this section.
        Some(seen) if !seen.is_empty() || image.section(&[".comment"]).is_none() => seen.clone(),
        _ => rust_binary::read(file, &image)?,
    };
    if !seen.is_empty() {
        return Ok(seen);
    }
    Ok(opaque::unexplained(file, &image, go.is_some())?
        .into_iter()
        .collect())
}
