//! Blobs as streams that are verified at the end.

use std::io::{self, Read};

use super::client::{Client, Wanted};
use super::digest::{Digest, Hasher};
use super::error::{Error, ErrorKind};
use super::exchange::broken_off;
use super::reference::Reference;

/// The content of a blob. Reading reports the end only after size and digest have been verified.
pub struct Blob<'c> {
    image: &'c Reference,
    digest: Digest,
    size: u64,
    left: u64,
    body: Box<dyn Read + Send>,
    /// `None` once the blob is verified.
    hasher: Option<Hasher>,
    failed: Option<Error>,
}

impl Client {
    /// Opens a blob of this size.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have it.
    pub fn blob<'c>(
        &self,
        image: &'c Reference,
        digest: &Digest,
        size: u64,
    ) -> Result<Blob<'c>, Error> {
        let wanted = Wanted {
            image,
            path: format!("blobs/{digest}"),
            accept: "*/*",
            timeout: self.limits.blob(size),
        };
        let body = self.fetch(&wanted, |answer| {
            let length = answer.body().content_length();
            match length.filter(|length| *length != size) {
                Some(length) => {
                    let why = format!("it has {length} bytes instead of {size}");
                    Err(wrong(image, digest, &why))
                }
                None => Ok(answer.into_body().into_reader()),
            }
        })?;
        Ok(Blob {
            image,
            digest: digest.clone(),
            size,
            left: size,
            body: Box::new(body),
            hasher: Some(digest.hasher()),
            failed: None,
        })
    }
}

impl Blob<'_> {
    /// Returns the number of bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads the rest and verifies the whole blob.
    ///
    /// # Errors
    ///
    /// Returns an error if reading or verification fails.
    pub fn finish(&mut self) -> Result<(), Error> {
        let read = io::copy(self, &mut io::sink());
        match (self.failed.clone(), read) {
            (Some(error), _) => Err(error),
            (None, Ok(_)) => Ok(()),
            (None, Err(error)) => Err(broken_off(self.image.host(), &error)),
        }
    }

    fn piece(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        if self.left == 0 {
            return self.verify().map(|()| 0);
        }
        let host = self.image.host();
        let read = self.body.by_ref().take(self.left).read(buffer);
        let read = read.map_err(|error| broken_off(host, &error))?;
        if read == 0 {
            let (position, size) = (self.size - self.left, self.size);
            let message = format!("{host} closed the connection after {position} of {size} bytes");
            return Err(Error::new(ErrorKind::Unreachable, message).with_help("try again later"));
        }
        self.left -= read as u64;
        if let Some(hasher) = &mut self.hasher {
            hasher.add(buffer.get(..read).unwrap_or_default());
        }
        Ok(read)
    }

    fn verify(&mut self) -> Result<(), Error> {
        let Some(hasher) = self.hasher.take() else {
            return Ok(());
        };
        let wrong = |why: &str| Err(wrong(self.image, &self.digest, why));
        if matches!(self.body.read(&mut [0]), Ok(1)) {
            return wrong(&format!("it has more than {} bytes", self.size));
        }
        if hasher.finish() != self.digest {
            return wrong("its content differs");
        }
        Ok(())
    }
}

fn wrong(image: &Reference, digest: &Digest, why: &str) -> Error {
    let message = format!("{} sent a wrong {digest}: {why}", image.host());
    Error::new(ErrorKind::Digest, message).with_help("do not trust this registry")
}

impl Read for Blob<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = &self.failed {
            return Err(io::Error::other(error.clone()));
        }
        if buffer.is_empty() {
            return Ok(0);
        }
        self.piece(buffer).map_err(|error| {
            self.failed = Some(error.clone());
            io::Error::other(error)
        })
    }
}
