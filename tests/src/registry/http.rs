//! Requests, and replies with faults on request.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read as _, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

/// The time after which an idle connection is closed.
pub(super) const IDLE: Duration = Duration::from_secs(20);

/// A request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path with the query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: HashMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// Returns a header; empty if it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Returns the first requested byte.
    #[must_use]
    pub fn range(&self) -> Option<usize> {
        self.header("range").strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()
    }
}

/// A reply with its faults.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers in addition to the length.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The length to state instead of that of the body.
    pub stated: Option<usize>,
    /// The number of bytes of the body after which the connection is closed.
    pub cut: Option<usize>,
    /// The number of bytes to send at a time, and the pause between them.
    pub slow: Option<(usize, Duration)>,
    /// True if the length is not stated, and the body ends with the connection.
    pub is_endless: bool,
}

impl Reply {
    /// Returns a reply with this status and body.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Writes the answer. Returns true if the connection can be used for another request.
    pub(super) fn write(&self, to: &mut TcpStream) -> std::io::Result<bool> {
        let mut head = format!("HTTP/1.1 {} Reply\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.is_endless {
            head.push_str(&format!(
                "content-length: {}\r\n",
                self.stated.unwrap_or(self.body.len())
            ));
        }
        to.write_all(format!("{head}\r\n").as_bytes())?;
        let end = self.cut.unwrap_or(self.body.len()).min(self.body.len());
        let body = &self.body[..end];
        match self.slow {
            Some((size, pause)) => {
                for piece in body.chunks(size) {
                    to.write_all(piece)?;
                    thread::sleep(pause);
                }
            }
            None => to.write_all(body)?,
        }
        Ok(self.cut.is_none() && self.stated.is_none() && !self.is_endless)
    }
}

/// Reads a request; `None` if there is no further one.
pub(super) fn read(input: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = || {
        let mut line = Vec::new();
        let read = input.by_ref().take(64 << 10).read_until(b'\n', &mut line).ok()?;
        (read > 0).then(|| String::from_utf8_lossy(&line).trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let mut request = Request {
        method: words.next()?.to_owned(),
        path: words.next()?.to_owned(),
        ..Request::default()
    };
    loop {
        let line = line()?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        request.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = request.header("content-length").parse().unwrap_or(0);
    request.body = vec![0; length];
    input.read_exact(&mut request.body).ok()?;
    Some(request)
}
