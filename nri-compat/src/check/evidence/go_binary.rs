//! Go executables: what part they play in NRI, which generation of the stub they link, which events they handle.
//!
//! Judged by the code that is linked, from the function table and the type descriptors, never by the version that the
//! build information claims.

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
use crate::check::sighting::{Evidence, Sighting};
use table::Presence;

/// Name of the reader in evidence.
const NAME: &str = "go-binary";

/// Reads a Go executable: nothing if NRI is not in it, `None` if Go's linker did not make it.
pub(super) fn read(
    file: &File<'_>,
    image: &Image<'_>,
) -> Result<Option<Vec<Sighting>>, Unreadable> {
    let table = match table::locate(image)? {
        Presence::NotGo => return Ok(None),
        Presence::Unreadable => return Ok(Some(vec![hidden::without_table(file, image)?])),
        Presence::Found(table) => table,
    };
    // Most programs have nothing of NRI, and end here. Damaged headers may hide where constants are.
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
