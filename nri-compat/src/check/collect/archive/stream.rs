//! Layers that can be read while they are fetched.

use super::kind;
use super::layer::labelled;
use super::manifest::Blob;
use crate::check::content::Content;
use crate::packing::Packing;

/// The first byte of a skippable frame of zstd, without its lower half.
const SKIPPABLE: u8 = 0x50;

/// Reports whether a layer is an archive that is read from its start to its end. Whether a stream of
/// zstd that starts with skippable frames is one may only show far behind its start.
pub(in crate::check::collect) fn is_streamable(content: &dyn Content, blob: &Blob) -> bool {
    if blob.is_labelled_tar {
        return true;
    }
    let Ok(file) = labelled(content, &blob.name) else {
        return true;
    };
    let is_skippable = file
        .head
        .first()
        .is_some_and(|byte| byte & 0xf0 == SKIPPABLE);
    let starts_elsewhere = Packing::of(&file.head) == Packing::Zstd && is_skippable;
    !starts_elsewhere && kind::of(&file).is_some()
}
