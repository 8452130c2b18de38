//! Blobs, which are verified before they are read.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::time::Duration;

use ureq::Body;
use ureq::http::Response;

use super::client::{Client, Wanted};
use super::digest::Digest;
use super::error::Error;
use super::http::broken_off;
use super::reference::Reference;
use crate::skipped::SkipKind;

/// The maximum size of a blob in bytes.
const MAX_BLOB: u64 = 4 << 30;

/// The minimum speed of a blob in bytes per second.
const SLOWEST: u64 = 64 << 10;

/// The size of the pieces in which a blob is copied, in bytes.
const PIECE: usize = 64 << 10;

impl Client {
    /// Fetches a blob of this size to an unnamed file, which is deleted when it is closed. It is read from
    /// its start.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have it, if it is too large, or if its size or its content
    /// are not those that were asked for.
    pub fn blob(&self, image: &Reference, digest: &Digest, size: u64) -> Result<File, Error> {
        if size > MAX_BLOB {
            let message = format!("{digest} is larger than {} GiB", MAX_BLOB >> 30);
            return Err(Error::new(SkipKind::TooLarge, message));
        }
        let wanted = Wanted {
            image,
            path: format!("blobs/{digest}"),
            accept: "*/*",
            timeout: self.limits.total + Duration::from_secs(size / SLOWEST),
        };
        self.fetch(&wanted, |answer| stored(image.host(), answer, digest, size))
    }
}

/// Copies an answer to a file, and verifies it.
fn stored(host: &str, answer: Response<Body>, digest: &Digest, size: u64) -> Result<File, Error> {
    let wrong = |why: String| {
        let message = format!("{host} sent a wrong {digest}: {why}");
        Err(Error::new(SkipKind::Broken, message).with_help("do not trust this registry"))
    };
    if let Some(length) = answer
        .body()
        .content_length()
        .filter(|length| *length != size)
    {
        return wrong(format!("it has {length} bytes instead of {size}"));
    }
    let mut file = tempfile::tempfile().map_err(|error| unwritable(&error))?;
    let (mut hasher, mut piece, mut copied) = (digest.hasher(), vec![0; PIECE], 0);
    // One byte more shows that there is more.
    let mut body = answer.into_body().into_reader().take(size + 1);
    loop {
        let read = body
            .read(&mut piece)
            .map_err(|error| broken_off(host, &error))?;
        let (read, _) = piece.split_at(read);
        if read.is_empty() {
            break;
        }
        hasher.update(read);
        file.write_all(read).map_err(|error| unwritable(&error))?;
        copied += read.len() as u64;
    }
    if copied < size {
        let message = format!("{host} closed the connection after {copied} of {size} bytes");
        return Err(Error::temporary(message).with_help("try again later"));
    }
    if copied > size {
        return wrong(format!("it has more than {size} bytes"));
    }
    if !digest.is_of(hasher) {
        return wrong("its content differs".to_owned());
    }
    file.rewind().map_err(|error| unwritable(&error))?;
    Ok(file)
}

fn unwritable(error: &io::Error) -> Error {
    let message = format!("cannot be copied to a temporary file: {error}");
    Error::new(SkipKind::Io, message).with_help("set TMPDIR to a folder with enough space")
}
