//! Go executables: their role in NRI, the generation of the stub that they link, and the events
//! that they handle.
//!
//! They are judged by the linked code, from the function table and the type descriptors, never by
//! the version in the build information.

mod build_info;
mod handlers;
mod linked_code;
mod moduledata;
mod roles;
mod runtime_build;
mod table;
mod types;

use super::binary::Image;
use super::{Unreadable, opaque};
use crate::check::content::File;
use crate::sighting::{Evidence, FileKind, Sighting};
use crate::unknown::UnknownProgram;
pub(in crate::check) use runtime_build::RuntimeBuild;
use table::Presence;

/// The name of the reader in evidence.
const NAME: &str = "go-binary";

/// Reads a Go executable: the sightings in it, none if there is no NRI in it; and false if it is
/// known that it does not start other programs. The result is `None` if Go's linker did not make
/// it.
pub(super) fn read(
    file: &File<'_>,
    image: &Image<'_>,
) -> Result<Option<(Vec<Sighting>, bool)>, Unreadable> {
    let table = match table::locate(image)? {
        Presence::NotGo => return Ok(None),
        Presence::Unreadable => {
            let seen = hidden(file, image, UnknownProgram::NoFunctionTable)?;
            return Ok(Some((vec![seen], true)));
        }
        Presence::Found(table) => table,
    };
    // Most programs have no trace of NRI, and end here. Damaged headers may hide constants.
    let may_be_nri = !image.headers.sound || roles::has_traces(image)?;
    if may_be_nri {
        let linked = linked_code::read(image, &table)?;
        let seen = roles::of_program(file, image, &table, &linked)?;
        if !seen.is_empty() {
            return Ok(Some((seen, linked.starts_programs)));
        }
    }
    let mut seen = obfuscated(file, image)?;
    if seen.is_none() && may_be_nri {
        seen = roles::own_bindings(file, image, &table)?;
    }
    Ok(Some((Vec::from_iter(seen), true)))
}

/// Reports a program that cannot be read, with the names of the protocol in it.
fn hidden(file: &File<'_>, image: &Image<'_>, why: UnknownProgram) -> Result<Sighting, Unreadable> {
    let mut seen = opaque::hidden(file, FileKind::GoBinary, NAME, why);
    opaque::with_protocol(&mut seen, NAME, image)?;
    Ok(seen)
}

/// Reports a program with obfuscated names: garble writes `unknown` as the Go release, and no
/// modules.
fn obfuscated(file: &File<'_>, image: &Image<'_>) -> Result<Option<Sighting>, Unreadable> {
    let info = build_info::read(image)?.unwrap_or_default();
    let starts = ["go", "devel"];
    let has_release = starts.iter().any(|start| info.go.starts_with(start));
    if has_release && !info.modules.is_empty() {
        return Ok(None);
    }
    let seen = hidden(file, image, UnknownProgram::Obfuscated)?;
    // Other builds have no list of modules either; then only the names of the protocol are
    // evidence.
    let hides = seen.evidence.len() > 1 || !has_release;
    Ok(hides.then_some(seen))
}

fn evidence(detail: impl Into<String>) -> Evidence {
    Evidence::new(NAME, detail)
}
