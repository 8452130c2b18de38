//! Blobs as streams that are verified at the end.

use std::io::{self, Read};
use std::time::Instant;

use ureq::Body;
use ureq::http::Response;

use super::cache::Unfinished;
use super::client::{Client, Wanted};
use super::digest::{Digest, Hasher};
use super::error::{Error, ErrorKind};
use super::exchange::{broken_off, header};
use super::reference::Reference;

/// The size in bytes of the pieces in which the unread part of a blob is verified.
const PIECE_BYTES: usize = 64 << 10;

/// The content of a blob, from a registry or from the cache.
///
/// Reading reports the end only after size and digest have been verified. A broken connection is
/// resumed where it broke.
pub struct Blob<'c> {
    client: &'c Client,
    image: &'c Reference,
    digest: Digest,
    size: u64,
    position: u64,
    body: Box<dyn Read + Send>,
    interruptions: u32,
    deadline: Instant,
    /// `None` once it is verified.
    hasher: Option<Hasher>,
    unfinished: Option<Unfinished>,
    failed: Option<Error>,
}

impl Client {
    /// Opens a blob of this size. It is read from the cache if the cache has it undamaged.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have it.
    pub fn blob<'c>(
        &'c self,
        image: &'c Reference,
        digest: &Digest,
        size: u64,
    ) -> Result<Blob<'c>, Error> {
        let cached = self.cache.as_ref().and_then(|cache| cache.get(digest));
        let mut blob = Blob {
            client: self,
            image,
            digest: digest.clone(),
            size,
            position: 0,
            body: Box::new(io::empty()),
            interruptions: 0,
            deadline: Instant::now() + self.limits.blob(size),
            hasher: None,
            unfinished: None,
            failed: None,
        };
        if let Some(file) = cached {
            blob.size = file.metadata().map_or(0, |metadata| metadata.len());
            blob.body = Box::new(file);
            return Ok(blob);
        }
        blob.hasher = Some(digest.hasher());
        blob.unfinished = self.cache.as_ref().and_then(|cache| cache.start(digest));
        blob.request()?;
        Ok(blob)
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
        let mut piece = vec![0; PIECE_BYTES];
        while self.failed.is_none() {
            match self.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) => {
                    let message = format!("cannot read {}: {error}", self.digest);
                    self.failed
                        .get_or_insert_with(|| Error::new(ErrorKind::Unreachable, message));
                }
            }
        }
        self.failed.clone().map_or(Ok(()), Err)
    }

    fn piece(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        if self.position == self.size {
            return self.verify().map(|()| 0);
        }
        loop {
            let left = usize::try_from(self.size - self.position).unwrap_or(usize::MAX);
            let wanted = buffer.len().min(left);
            let Some(part) = buffer.get_mut(..wanted) else {
                return Ok(0);
            };
            let error = match self.body.read(part) {
                Ok(0) if wanted == 0 => return Ok(0),
                Ok(0) => None,
                Ok(read) => {
                    self.take(part.get(..read).unwrap_or_default());
                    return Ok(read);
                }
                Err(error) => Some(error),
            };
            self.resume(error.as_ref())?;
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.position += bytes.len() as u64;
        if let Some(hasher) = &mut self.hasher {
            hasher.add(bytes);
        }
        if self
            .unfinished
            .as_mut()
            .is_some_and(|file| !file.add(bytes))
        {
            self.unfinished = None;
        }
    }

    /// Requests the rest after an interruption.
    fn resume(&mut self, error: Option<&io::Error>) -> Result<(), Error> {
        if self.hasher.is_none() {
            return Err(self.wrong("the file in the cache ended early"));
        }
        let host = self.image.host();
        let closed = || {
            let (position, size) = (self.position, self.size);
            let message = format!("{host} closed the connection after {position} of {size} bytes");
            Error::new(ErrorKind::Unreachable, message).with_help("try again later")
        };
        let error = error.map_or_else(closed, |error| broken_off(host, error));
        self.interruptions += 1;
        if !error.is_temporary()
            || self.interruptions >= self.client.limits.attempts
            || Instant::now() >= self.deadline
        {
            return Err(error);
        }
        self.request()
    }

    /// Requests the blob from the position to its end.
    fn request(&mut self) -> Result<(), Error> {
        let range = format!("bytes={}-", self.position);
        let headers = (self.position > 0).then_some(("range", range));
        let wanted = Wanted {
            image: self.image,
            path: format!("blobs/{}", self.digest),
            headers: headers.into_iter().collect(),
            timeout: self.deadline.saturating_duration_since(Instant::now()),
        };
        self.body = self.client.fetch(&wanted, |answer| self.body_of(answer))?;
        Ok(())
    }

    /// Returns the bytes of an answer from the position on. A server that ignores the range starts from
    /// the beginning.
    fn body_of(&self, answer: Response<Body>) -> Result<Box<dyn Read + Send>, Error> {
        let from = self.position;
        let is_partial = answer.status().as_u16() == 206
            && header(&answer, "content-range").starts_with(&format!("bytes {from}-"));
        let skipped = if is_partial { 0 } else { from };
        let expected = self.size - from + skipped;
        let length = answer.body().content_length();
        if let Some(length) = length.filter(|length| *length != expected) {
            let length = length + from - skipped;
            return Err(self.wrong(&format!("it has {length} bytes instead of {}", self.size)));
        }
        let mut body = answer.into_body().into_reader();
        io::copy(&mut (&mut body).take(skipped), &mut io::sink())
            .map_err(|error| broken_off(self.image.host(), &error))?;
        Ok(Box::new(body))
    }

    fn verify(&mut self) -> Result<(), Error> {
        let Some(hasher) = self.hasher.take() else {
            return Ok(());
        };
        if matches!(self.body.read(&mut [0]), Ok(1)) {
            return Err(self.wrong(&format!("it has more than {} bytes", self.size)));
        }
        if hasher.finish() != self.digest {
            return Err(self.wrong("its content differs"));
        }
        if let Some(file) = self.unfinished.take() {
            file.keep();
        }
        Ok(())
    }

    fn wrong(&self, why: &str) -> Error {
        let (host, digest) = (self.image.host(), &self.digest);
        Error::new(
            ErrorKind::Digest,
            format!("{host} sent a wrong {digest}: {why}"),
        )
        .with_help("do not trust this registry")
    }
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
