//! The output of a plugin. Its end is kept, the rest is only counted.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The number of bytes kept from the end of the output.
const KEPT: usize = 16 << 10;

/// The number of lines shown.
const LINES: usize = 10;

/// The number of characters shown of a line.
const COLUMNS: usize = 400;

/// Standard output and standard error of a process, in the order of arrival. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Output(Arc<Mutex<Tail>>);

#[derive(Debug, Default)]
struct Tail {
    end: VecDeque<u8>,
    bytes: u64,
}

impl Output {
    /// Reads a pipe to its end.
    pub(super) async fn read(self, mut pipe: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 16 << 10];
        while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
            self.add(&buffer[..count]);
        }
    }

    fn add(&self, bytes: &[u8]) {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.bytes += bytes.len() as u64;
        tail.end.extend(bytes);
        let surplus = tail.end.len().saturating_sub(KEPT);
        tail.end.drain(..surplus);
    }

    /// Returns the number of printed bytes.
    pub fn bytes(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// Returns the last lines, at most ten, each truncated at 400 characters.
    pub fn last_lines(&self) -> Vec<String> {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(tail.end.make_contiguous()).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let skipped = lines.len().saturating_sub(LINES);
        let shown = lines.into_iter().skip(skipped);
        shown.map(|line| line.chars().take(COLUMNS).collect()).collect()
    }
}
