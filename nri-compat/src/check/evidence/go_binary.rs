//! Go executables: their role in NRI, the generation of the stub that they link, and the events
//! that they handle.
//!
//! They are judged by the linked code, from the function table and the type descriptors, never by
//! the version in the build information.

mod build_info;
mod handlers;
mod hidden;
mod moduledata;
mod sightings;
mod signs;
mod table;
mod types;

use super::Unreadable;
use super::binary::Image;
use crate::check::content::File;
use crate::sighting::{Evidence, Sighting};
use table::Presence;

/// The name of the reader in evidence.
const NAME: &str = "go-binary";

/// Reads a Go executable. The result is empty if there is no NRI in it, and `None` if Go's linker
/// did not make it.
pub(super) fn read(
    file: &File<'_>,
    image: &Image<'_>,
) -> Result<Option<Vec<Sighting>>, Unreadable> {
    let table = match table::locate(image)? {
        Presence::NotGo => return Ok(None),
        Presence::Unreadable => return Ok(Some(vec![hidden::without_table(file, image)?])),
        Presence::Found(table) => table,
    };
    // Most programs have no trace of NRI, and end here. Damaged headers may hide constants.
    let may_be_nri = !image.headers.sound || sightings::has_traces(image)?;
    if may_be_nri {
        let signs = signs::read(image, &table)?;
        let seen = sightings::from(file, image, &table, &signs)?;
        if !seen.is_empty() {
            return Ok(Some(seen));
        }
    }
    if let Some(obfuscated) = hidden::obfuscated(file, image)? {
        return Ok(Some(vec![obfuscated]));
    }
    let own = if may_be_nri {
        sightings::own_bindings(file, image)?
    } else {
        None
    };
    Ok(Some(own.into_iter().collect()))
}

fn evidence(detail: impl Into<String>) -> Evidence {
    Evidence {
        reader: NAME,
        detail: detail.into(),
    }
}
