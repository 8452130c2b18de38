//! Detects the kind of an archive from its first bytes.

use tar::Archive;

use crate::check::collect::compressed;
use crate::check::content::File;
use crate::packing::Packing;

/// The size of a header block, in bytes.
const BLOCK: usize = 512;

/// Returns the compression of an archive; `None` for a file that is not an archive, such as a
/// compressed file other than a tar.
pub(in crate::check::collect) fn archive_packing(file: &File<'_>) -> Option<Packing> {
    let packing = Packing::detect(&file.head);
    let is_archive = if packing == Packing::Not {
        is_tar(&file.head)
    } else {
        is_tar(&compressed::unpacked_head(file, BLOCK))
    };
    is_archive.then_some(packing)
}

/// Returns true if the first header is one of a tar, with a correct checksum.
fn is_tar(head: &[u8]) -> bool {
    let mut archive = Archive::new(head.get(..BLOCK).unwrap_or_default());
    let first = archive.entries().map(|entries| entries.raw(true).next());
    matches!(first, Ok(Some(Ok(_))))
}
