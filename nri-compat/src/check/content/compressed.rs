//! Compressed content as a stream, and as a file.

use std::io::{BufReader, Read};

use super::disk::{self, Disk};
use super::{Content, Stream};
use crate::skipped::Unreadable;
use crate::unpack;
use crate::unpack::Packing;

/// Decompresses content to a temporary file.
pub(in crate::check) fn to_disk(
    content: &dyn Content,
    packing: Packing,
) -> Result<Disk, Unreadable> {
    disk::spooled(&mut *reader(content, packing)?)
}

/// Returns the decompressed bytes of content, within limits.
pub(in crate::check) fn reader(
    content: &dyn Content,
    packing: Packing,
) -> Result<Box<dyn Read + '_>, Unreadable> {
    let stream = BufReader::with_capacity(64 << 10, Stream::new(content));
    let most = unpack::limit(content.len());
    unpack::limited(stream, packing, most).map_err(Unreadable::of_data)
}
