//! Go executables: what part they play in NRI, of which age their stub is, which events they handle.
//!
//! Judged by the code that is linked, from the function table and the type descriptors, never by the version that the
//! build information claims.

mod build_info;
mod handlers;
mod moduledata;
mod opaque;
mod sightings;
mod signs;
mod table;
mod types;

use super::binary::{Image, format};
use super::{Reader, Unreadable};
use crate::check::content::File;
use crate::check::sighting::{Evidence, Sighting};
use table::Presence;

/// Name of the reader in evidence.
const NAME: &str = "go-binary";

/// Reads Go executables: ELF, Mach-O and PE.
///
/// ```
/// use nri_compat::check::content::File;
/// use nri_compat::check::evidence::Reader;
/// use nri_compat::check::evidence::go_binary::GoBinary;
///
/// let content: &[u8] = b"#!/bin/sh";
/// let file = File { place: "script".into(), name: "script".into(), head: content.to_vec(), content: &content, disk: None };
/// assert!(!GoBinary.recognises(&file));
/// ```
pub struct GoBinary;

impl Reader for GoBinary {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        format(&file.head).is_some()
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        if let Some(packed) = opaque::packed(file) {
            return Ok(vec![packed]);
        }
        let image = Image::read(file.content, &file.head)?;
        match table::locate(&image)? {
            Presence::NotGo => Ok(Vec::new()),
            Presence::Unreadable => opaque::without_table(file, &image).map(|seen| vec![seen]),
            Presence::Found(table) => {
                let signs = signs::read(&image, &table)?;
                let seen = sightings::from(file, &image, &table, &signs)?;
                match seen.is_empty() {
                    true => Ok(opaque::obfuscated(file, &image)?.into_iter().collect()),
                    false => Ok(seen),
                }
            }
        }
    }
}

/// Whether Go's linker made an executable, whatever its section headers say.
pub(super) fn is_go(image: &Image<'_>) -> Result<bool, Unreadable> {
    Ok(table::locate(image)? != Presence::NotGo)
}

fn evidence(detail: impl Into<String>) -> Evidence {
    Evidence {
        reader: NAME,
        detail: detail.into(),
    }
}
