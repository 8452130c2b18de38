//! Executables: passes each to the reader of its kind, and reports those that cannot be read
//! completely.
//!
//! A program whose code is missing or hidden may be a plugin. It is always reported:
//!
//! | found | reported |
//! | --- | --- |
//! | a file that starts like a program and ends before the parts that its headers load | `unknown`, regardless of its content |
//! | damaged headers, but a complete file | the result of searching the whole file without the headers |
//! | packed (UPX, appended data), obfuscated, or without section headers and of an unsupported kind | `unknown` |
//! | a program for another system than Linux that has a trace of NRI or the name of a plugin | `unknown` |
//! | another program among the constants | `unknown`, in addition to the verdict on the program itself |
//! | object files, core dumps, debug information | nothing: no system starts them |

use super::binary::Image;
use super::{Reader, Unreadable, go_binary, identity, is_known_plugin, opaque, rust_binary};
use crate::check::content::File;
use crate::magic::ProgramFormat;
use crate::sighting::Sighting;

/// The name of the reader in evidence.
const NAME: &str = "program";

/// The reader of executables.
pub(in crate::check) struct Program;

impl Reader for Program {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        executable(file).is_some()
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let Some(format) = executable(file) else {
            return Ok(Vec::new());
        };
        if let Some(packed) = opaque::packed(file) {
            return Ok(vec![packed]);
        }
        match format {
            ProgramFormat::Elf => in_image(file),
            ProgramFormat::Foreign => Ok(Vec::from_iter(opaque::foreign(file)?)),
            ProgramFormat::Wasm => Ok(Vec::new()),
        }
    }
}

/// Returns the format of a program other than a WebAssembly module, by its first bytes: of ELF also
/// if the file is truncated within its headers.
fn executable(file: &File<'_>) -> Option<ProgramFormat> {
    ProgramFormat::detect(&file.head).filter(|format| *format != ProgramFormat::Wasm)
}

fn in_image(file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
    let image = Image::read(file);
    if !image.headers.starts {
        return Ok(Vec::new());
    }
    if image.missing() > 0 {
        return Ok(vec![opaque::cut_short(file, &image)?]);
    }
    let go = go_binary::read(file, &image)?;
    // Only other linkers combine Go with code of other languages, and they keep this section.
    let is_mixed = image.section(&[".comment"]).is_some();
    let is_go = go.is_some();
    let (mut seen, go_starts_programs) = go.unwrap_or_default();
    if !is_go || is_mixed && seen.is_empty() {
        seen = rust_binary::read(file, &image)?;
    } else if is_mixed {
        seen.extend(rust_binary::manifests(file, &image)?);
    }
    // A program that cannot be judged anyway, or that is known not to be a plugin, needs no further
    // reason.
    if seen.is_empty() || seen.iter().any(is_known_plugin) {
        // Most programs are not plugins, and a search of each would take long.
        let may_be_plugin = !seen.is_empty() || identity(&file.name).0.is_some();
        let may_start_programs = may_be_plugin && (go_starts_programs || is_mixed || !is_go);
        seen.extend(opaque::contained(file, &image, may_start_programs)?);
    }
    if seen.is_empty() && !is_go {
        seen.extend(opaque::unexplained(file, &image));
    }
    Ok(seen)
}
