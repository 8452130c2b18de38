//! Single programs that are compressed, as in folders of releases: `agent.gz`, `agent_linux_amd64.zst`.

use std::io::{self, BufReader, Read as _};

use super::disk::{self, Disk};
use super::spool;
use super::unread_format;
use crate::check::content::{Content, File, Stream};
use crate::check::evidence::Reader as _;
use crate::check::evidence::program::Program;
use crate::check::evidence::wasm::Wasm;
use crate::check::head::{HEAD, Head};
use crate::packing::Packing;
use crate::place::Place;
use crate::skipped::Unreadable;
use crate::unpack;

/// The maximum size of a decompressed program in bytes.
const MAX_PROGRAM: u64 = 2 << 30;

/// A file that was decompressed.
pub(super) struct Unpacked {
    /// The program.
    pub(super) disk: Disk,
    /// The name of the file, without the extension of the compression.
    pub(super) name: String,
}

impl Unpacked {
    /// Returns the program as the file at this place.
    pub(super) fn file(&self, place: &Place) -> io::Result<File<'_>> {
        Ok(File {
            disk: None,
            place: place.clone(),
            name: self.name.clone(),
            head: disk::head(&self.disk)?.into(),
            content: &self.disk,
        })
    }
}

/// Returns true if a file with these first bytes may be a compressed program, or another compressed file
/// that may hold programs. zstd and bzip2 need more than the first bytes to decompress any.
pub(super) fn may_hold_program(head: &Head) -> bool {
    match Packing::detect(head) {
        Packing::Not => false,
        Packing::Zstd | Packing::Bzip2 => true,
        Packing::Gzip | Packing::Xz => {
            let start = head.unpacked();
            start.contains(&0) || unread_format::reason(start, &start).is_some()
        }
    }
}

/// Returns the program in a compressed file, or the reason why what may hold programs in it is not read;
/// `None` if the file is not compressed, or holds neither.
pub(super) fn program(file: &File<'_>) -> Option<Result<Unpacked, Unreadable>> {
    let packing = Packing::detect(&file.head);
    if packing == Packing::Not {
        return None;
    }
    if !starts_like_program(file) {
        let start = unpacked_head(file, unread_format::ENOUGH);
        return unread_format::reason_inside(packing, &start).map(Err);
    }
    let disk = to_disk(file.content, MAX_PROGRAM);
    let (name, extension) = file.name.rsplit_once('.').unwrap_or((&file.name, ""));
    let is_known = Packing::extensions().any(|known| known == extension);
    Some(disk.map(|disk| Unpacked {
        disk,
        name: if is_known { name } else { &file.name }.to_owned(),
    }))
}

/// Decompresses content to a temporary file of at most `most` bytes.
pub(super) fn to_disk(content: &dyn Content, most: u64) -> Result<Disk, Unreadable> {
    let stream = BufReader::new(Stream::new(content));
    let packing = Packing::detect(&disk::head(content).map_err(Unreadable::from)?);
    let unpacked = unpack::limited(stream, packing, most);
    spool::to_disk(&mut *unpacked.map_err(Unreadable::from)?)
}

/// Returns the first decompressed bytes of a file, at most `most`. Reads more than its head only if
/// that is not enough.
pub(super) fn unpacked_head(file: &File<'_>, most: usize) -> Vec<u8> {
    let head = file.head.unpacked();
    if let Some(enough) = head.get(..most) {
        return enough.to_vec();
    }
    let mut head = Vec::new();
    let stream = BufReader::new(Stream::new(file.content));
    let unpacked = unpack::decoder(stream, Packing::detect(&file.head));
    // The content before the damage counts.
    let _ = unpacked.map(|unpacked| unpacked.take(most as u64).read_to_end(&mut head));
    head
}

/// Returns true if the first decompressed bytes are those of a program.
fn starts_like_program(file: &File<'_>) -> bool {
    let head = unpacked_head(file, HEAD);
    let content = head.as_slice();
    let inner = File {
        place: file.place.clone(),
        name: file.name.clone(),
        head: head.clone().into(),
        content: &content,
        disk: None,
    };
    Program.recognises(&inner) || Wasm.recognises(&inner)
}
