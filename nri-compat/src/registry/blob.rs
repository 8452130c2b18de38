//! Blobs as streams that are verified at the end.

use std::fs::File;
use std::io::{self, Read};
use std::time::Instant;

use ureq::http::Response;
use ureq::{Body, BodyReader};

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
    source: Source,
    interruptions: u32,
    deadline: Instant,
    /// `None` once it is verified.
    hasher: Option<Hasher>,
    unfinished: Option<Unfinished>,
    failed: Option<Error>,
}

enum Source {
    Network {
        host: String,
        body: BodyReader<'static>,
    },
    Cache(File),
}

impl Client {
    /// Opens a blob of this size. It is read from the cache if the cache has it undamaged.
    ///
    /// # Errors
    ///
    /// Returns an error if no server has it.
    pub fn blob<'c>(
        &'c self,
        image: &'c Reference,
        digest: &Digest,
        size: u64,
    ) -> Result<Blob<'c>, Error> {
        if let Some(file) = self.cache.as_ref().and_then(|cache| cache.get(digest)) {
            return Ok(Blob::cached(self, image, digest, file));
        }
        Blob::open(self, image, digest, size)
    }
}

impl<'c> Blob<'c> {
    /// Returns content that was verified when the cache opened it.
    fn cached(client: &'c Client, image: &'c Reference, digest: &Digest, file: File) -> Self {
        Self {
            client,
            image,
            digest: digest.clone(),
            size: file.metadata().map_or(0, |metadata| metadata.len()),
            position: 0,
            source: Source::Cache(file),
            interruptions: 0,
            deadline: Instant::now(),
            hasher: None,
            unfinished: None,
            failed: None,
        }
    }

    /// Requests a blob.
    fn open(
        client: &'c Client,
        image: &'c Reference,
        digest: &Digest,
        size: u64,
    ) -> Result<Self, Error> {
        let deadline = Instant::now() + client.limits.blob(size);
        let source = request(client, image, digest, (0, size), deadline)?;
        Ok(Self {
            client,
            image,
            digest: digest.clone(),
            size,
            position: 0,
            source,
            interruptions: 0,
            deadline,
            hasher: Some(digest.hasher()),
            unfinished: client.cache.as_ref().and_then(|cache| cache.start(digest)),
            failed: None,
        })
    }

    /// Returns the number of bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns true if the content comes from the cache.
    pub fn is_cached(&self) -> bool {
        matches!(self.source, Source::Cache(_))
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
            let error = match self.source.read(part) {
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
        let Source::Network { host, .. } = &self.source else {
            return Err(self.wrong("the file in the cache ended early"));
        };
        let error = error.map_or_else(
            || {
                let message = format!(
                    "{host} closed the connection after {} of {} bytes",
                    self.position, self.size
                );
                Error::new(ErrorKind::Unreachable, message).with_help("try again later")
            },
            |error| broken_off(host, error),
        );
        self.interruptions += 1;
        if !error.is_temporary()
            || self.interruptions >= self.client.limits.attempts
            || Instant::now() >= self.deadline
        {
            return Err(error);
        }
        let range = (self.position, self.size);
        self.source = request(self.client, self.image, &self.digest, range, self.deadline)?;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Error> {
        let Some(hasher) = self.hasher.take() else {
            return Ok(());
        };
        if matches!(self.source.read(&mut [0]), Ok(1)) {
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
        wrong(&self.source.host(), &self.digest, why)
    }
}

fn wrong(host: &str, digest: &Digest, why: &str) -> Error {
    Error::new(
        ErrorKind::Digest,
        format!("{host} sent a wrong {digest}: {why}"),
    )
    .with_help("do not trust this registry")
}

impl Source {
    fn host(&self) -> String {
        match self {
            Self::Network { host, .. } => host.clone(),
            Self::Cache(_) => "the cache".to_owned(),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Network { body, .. } => body.read(buffer),
            Self::Cache(file) => file.read(buffer),
        }
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

/// Requests a blob from an offset to its end.
fn request(
    client: &Client,
    image: &Reference,
    digest: &Digest,
    (from, size): (u64, u64),
    deadline: Instant,
) -> Result<Source, Error> {
    let mut headers = Vec::new();
    if from > 0 {
        headers.push(("range", format!("bytes={from}-")));
    }
    let wanted = Wanted {
        image,
        path: format!("blobs/{digest}"),
        headers,
        timeout: deadline.saturating_duration_since(Instant::now()),
    };
    client.anywhere(&wanted, true, |endpoint, answer| {
        let skipped = skipped(&answer, from);
        let expected = size - from + skipped;
        if let Some(length) = answer
            .body()
            .content_length()
            .filter(|length| *length != expected)
        {
            let why = format!("it has {} bytes instead of {size}", length + from - skipped);
            return Err(wrong(&endpoint.host, digest, &why));
        }
        let mut body = answer.into_body().into_reader();
        let host = endpoint.host.clone();
        // A server that ignores the range starts from the beginning.
        let passed = io::copy(&mut (&mut body).take(skipped), &mut io::sink());
        passed.map_err(|error| broken_off(&host, &error))?;
        Ok(Source::Network { host, body })
    })
}

/// Returns the number of bytes at the start of an answer that have already been read.
fn skipped(answer: &Response<Body>, from: u64) -> u64 {
    let is_partial = answer.status().as_u16() == 206
        && header(answer, "content-range").starts_with(&format!("bytes {from}-"));
    if is_partial { 0 } else { from }
}
