//! The blob of a layer, which may be a tar, or a single file.

use std::io;

use super::layer::{self, Change, Layer, Reading, Stop};
use super::stored::with_head;
use super::{kind, names};
use crate::check::collect::file_outcome::FileOutcome;
use crate::check::collect::found::Found;
use crate::check::collect::{disk, unread_format};
use crate::check::content::{Content, File};
use crate::check::evidence::text;
use crate::packing::Packing;
use crate::skipped::{SkipKind, Unreadable};

/// Reads a blob that an image calls a layer. Its content decides, not its media type: a blob that
/// is not a tar is a single file with this name.
pub(super) fn read(reading: Reading<'_>, is_labelled_tar: bool, name: &str) -> Layer {
    let file = match labelled(reading.content, name) {
        Ok(file) => file,
        Err(error) => return Layer::failed(Unreadable::from(error)),
    };
    let packing = Packing::detect(&file.head);
    let path = names::clean(name.as_bytes());
    if kind::archive_packing(&file).is_some() {
        return layer::read(reading, packing, Stop::Never);
    }
    if is_labelled_tar {
        return match unread_format::reason(&file.head, file.content) {
            Some(why) => Layer::failed(why),
            None => layer::read(reading, packing, Stop::Never),
        };
    }
    single(reading, &file, path)
}

/// Reads a blob that is a single file, perhaps a compressed program.
fn single(reading: Reading<'_>, file: &File<'_>, path: Vec<u8>) -> Layer {
    let mut layer = Layer::default();
    let found = findings(reading, file);
    match found.and_then(|found| layer.keep(reading, found)) {
        Ok(found) => layer.changes.push((path.into(), Change::File(found))),
        Err(why) => {
            reading.scan.count(FileOutcome::Unreadable);
            layer.failed = Some(why);
        }
    }
    layer
}

/// Returns the findings in a single file; `None` for a text that no reader recognises.
fn findings(reading: Reading<'_>, file: &File<'_>) -> Result<Option<Found>, Unreadable> {
    let found = reading.scan.findings(file)?;
    let why = not_text(&file.head).filter(|_| found.is_none());
    why.map_or(Ok(found), Err)
}

/// Returns the reason why a blob that no reader recognises cannot be judged; `None` for text, such as
/// the JSON of attestations.
fn not_text(head: &[u8]) -> Option<Unreadable> {
    text::head(head).is_none().then(|| {
        let reason = "neither an archive nor a kind of file that can be judged";
        Unreadable::new(SkipKind::UnsupportedFormat, reason)
    })
}

/// Returns a blob as a file with this name.
fn labelled<'c>(content: &'c dyn Content, name: &str) -> io::Result<File<'c>> {
    let head = disk::head(content)?;
    Ok(File {
        content,
        ..with_head(&names::clean(name.as_bytes()), head)
    })
}
