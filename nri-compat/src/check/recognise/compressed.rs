//! Compressed files: archives, and single programs as in folders of releases: `agent.gz`,
//! `agent_linux_amd64.zst`.

use std::io::{BufReader, Read};
use std::ops::Range;

use super::unread;
use crate::check::content::disk::{self, Disk};
use crate::check::content::{Content, File, HEAD, Head, Stream};
use crate::check::evidence::Reader as _;
use crate::check::evidence::program::Program;
use crate::check::evidence::wasm::Wasm;
use crate::place::Place;
use crate::skipped::Unreadable;
use crate::unpack;
use crate::unpack::Packing;

/// The size of a header of a tar, in bytes.
const TAR_HEADER: usize = 512;

/// A file that was decompressed.
pub(in crate::check) struct Unpacked {
    disk: Disk,
    head: Head,
    /// The name of the file, without the extension of the compression.
    name: String,
}

impl Unpacked {
    /// Returns the program as the file at this place.
    pub(in crate::check) fn file(&self, place: &Place) -> File<'_> {
        File {
            disk: None,
            place: place.clone(),
            name: self.name.clone(),
            head: self.head.clone(),
            content: &self.disk,
        }
    }
}

/// Returns the compression of an archive; `None` for content that is not an archive, such as a
/// compressed file other than a tar.
pub(in crate::check) fn archive_packing(head: &Head, content: &dyn Content) -> Option<Packing> {
    let packing = Packing::detect(head);
    let is_archive = if packing == Packing::Not {
        is_tar(head)
    } else {
        is_tar(&unpacked_start(head, content, TAR_HEADER))
    };
    is_archive.then_some(packing)
}

/// The place of the checksum in a header of a tar.
const TAR_CHECKSUM: Range<usize> = 148..156;

/// Returns true if the first header is one of a tar, with a correct checksum.
fn is_tar(start: &[u8]) -> bool {
    // Nearly all other files have something other than an octal number there.
    let is_octal = |byte: &u8| matches!(byte, b'0'..=b'7' | b' ' | 0);
    let checksum = start.get(TAR_CHECKSUM);
    if !checksum.is_some_and(|checksum| checksum.iter().all(is_octal)) {
        return false;
    }
    let mut archive = tar::Archive::new(start.get(..TAR_HEADER).unwrap_or_default());
    let first = archive.entries().map(|entries| entries.raw(true).next());
    matches!(first, Ok(Some(Ok(_))))
}

/// Returns the program in a compressed file, or the reason why what may hold programs in it is not
/// read; `None` if the file is not compressed, or holds neither.
pub(in crate::check) fn program(file: &File<'_>) -> Option<Result<Unpacked, Unreadable>> {
    let packing = Packing::detect(&file.head);
    if packing == Packing::Not {
        return None;
    }
    if !holds_program(file) {
        let mut start = unpacked_start(&file.head, file.content, HEAD);
        if unread::may_be_image(&start) {
            start = unpacked_start(&file.head, file.content, unread::ENOUGH);
        }
        return unread::reason_inside(packing, &start).map(Err);
    }
    let (name, extension) = file.name.rsplit_once('.').unwrap_or((&file.name, ""));
    let is_known = Packing::extensions().any(|known| known == extension);
    let name = if is_known { name } else { &file.name }.to_owned();
    let unpacked = to_disk(file.content, packing).and_then(|disk| {
        let head = disk::head(&disk)?.into();
        Ok(Unpacked { disk, head, name })
    });
    Some(unpacked)
}

/// Returns true if a file is a compressed program, by its first decompressed bytes.
pub(in crate::check) fn holds_program(file: &File<'_>) -> bool {
    if Packing::detect(&file.head) == Packing::Not {
        return false;
    }
    let start = unpacked_start(&file.head, file.content, HEAD);
    let inner = File {
        place: file.place.clone(),
        name: file.name.clone(),
        head: start.clone().into(),
        content: &start,
        disk: None,
    };
    Program.recognises(&inner) || Wasm.recognises(&inner)
}

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

/// Returns the first decompressed bytes of content, at most `most`. Reads more than its head only
/// if that is not enough.
fn unpacked_start(head: &Head, content: &dyn Content, most: usize) -> Vec<u8> {
    let known = head.unpacked();
    let is_all = content.len() <= head.len() as u64 && known.len() < HEAD;
    if is_all || known.len() >= most {
        return known[..known.len().min(most)].to_vec();
    }
    let mut start = Vec::with_capacity(most);
    let unpacked = reader(content, Packing::detect(head));
    // The content before the damage counts.
    let _ = unpacked.map(|unpacked| unpacked.take(most as u64).read_to_end(&mut start));
    start
}
