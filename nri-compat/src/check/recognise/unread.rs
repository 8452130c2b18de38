//! The formats that may hold programs and are not read: archives, packages, compressed files and
//! images of disks. Their first bytes identify them, in folders, archives and images alike.

use crate::check::content::Content;
use crate::magic::{FORMATS, Magic, Packing, Use, ZIP};
use crate::skipped::{SkipKind, Unreadable};

/// The number of first bytes that are enough to recognise every format.
pub(in crate::check) const ENOUGH: usize = 0x1_0048;

/// The first entries of ZIP files that hold no programs for nodes: libraries of Java, documents,
/// books.
const OTHER_ZIP_FILES: [&[u8]; 3] = [b"META-INF/", b"[Content_Types].xml", b"mimetype"];

/// The position of the name of the first entry in a ZIP file.
const ZIP_NAME: usize = 30;

/// Returns the reason why content with these first bytes is not read although it may hold programs;
/// `None` for other content.
pub(in crate::check) fn reason(head: &[u8], content: &dyn Content) -> Option<Unreadable> {
    let (kind, name) = unread_format(head, content)?;
    Some(unpack_it(kind, &name))
}

/// Returns the reason why a compressed file is not read although it may hold programs, by its first
/// [`ENOUGH`] decompressed bytes; `None` for other files.
pub(in crate::check) fn reason_inside(packing: Packing, start: &[u8]) -> Option<Unreadable> {
    let outer = packing.name()?;
    let inner = match Packing::detect(start).name() {
        Some(inner) => format!("compressed with {inner}"),
        None => unread_format(start, &start)?.1,
    };
    let what = format!("{inner}, within {outer}");
    Some(unpack_it(SkipKind::UnsupportedFormat, &what))
}

fn unread_format(head: &[u8], content: &dyn Content) -> Option<(SkipKind, String)> {
    let found = FORMATS.iter().filter(|magic| has_bytes(head, content, magic.offset, magic.bytes));
    let (kind, name) = found.filter_map(as_unread).next()?;
    (!is_other_zip(head)).then_some((kind, name))
}

/// Returns the kind and the name of a format that is not read; `None` for one that is.
fn as_unread(magic: &Magic) -> Option<(SkipKind, String)> {
    match magic.class {
        Use::Archive => Some((SkipKind::UnsupportedFormat, magic.name.to_owned())),
        Use::Tar => Some((SkipKind::UnsupportedFormat, "a damaged tar archive".to_owned())),
        Use::Compressed => {
            let name = format!("compressed with {}", magic.name);
            Some((SkipKind::UnsupportedCompression, name))
        }
        Use::Packed(_) | Use::Program(_) => None,
    }
}

/// Returns true if content with these first bytes has `magic` at this position.
fn has_bytes(head: &[u8], content: &dyn Content, offset: u64, magic: &[u8]) -> bool {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    if let Some(found) = head.get(start..start.saturating_add(magic.len())) {
        return found == magic;
    }
    if !may_be_image(head) {
        return false;
    }
    let mut bytes = vec![0; magic.len()];
    let read = content.read_at(offset, &mut bytes);
    read.is_ok_and(|read| read == bytes.len()) && bytes == magic
}

/// Returns true unless the first bytes are a text, as those of most files are: no image of a disk
/// begins with one.
pub(in crate::check) fn may_be_image(head: &[u8]) -> bool {
    head.contains(&0)
}

fn unpack_it(kind: SkipKind, what: &str) -> Unreadable {
    let reason = format!("{what}, which is not read: unpack it and check the folder");
    Unreadable::new(kind, reason)
}

fn is_other_zip(head: &[u8]) -> bool {
    let name = head.get(ZIP_NAME..).unwrap_or_default();
    head.starts_with(ZIP) && OTHER_ZIP_FILES.iter().any(|other| name.starts_with(other))
}
