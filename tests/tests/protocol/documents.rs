//! The memory that documents take when they are decoded: those of the worst shapes, and the most
//! bytes for each of theirs that a decoder may need. Larger documents have limits on memory that
//! follow from it.
//!
//! To add a decoder, add a row to the table of the files in `documents`.

mod archives;
mod json;
mod schemas;
mod text;

use std::process::Command;

use crate::counting::peak_of_threads;

/// The elements of a list, which has just grown.
const ELEMENTS: usize = (1 << 11) + 1;

/// Set in the process that counts.
const COUNTS: &str = "NRI_TESTS_COUNTS";

const TEST: &str = "documents::no_byte_of_a_document_takes_more_memory_than_its_decoder_allows";

/// A decoder.
struct Decoder {
    name: &'static str,
    /// The most bytes of memory for each byte of a document.
    factor: usize,
    /// The bytes of memory that any document may take.
    base: usize,
    decode: fn(&[u8]),
    /// Documents in the worst shapes.
    documents: Vec<Vec<u8>>,
}

/// Returns [`ELEMENTS`] copies of an element, separated by `between`.
fn repeated(element: &str, between: &str) -> String {
    vec![element; ELEMENTS].join(between)
}

fn list(element: &str) -> String {
    repeated(element, ",")
}

/// Returns what a function makes of each number.
fn numbered(of: impl Fn(usize) -> String) -> String {
    (0..ELEMENTS).map(of).collect()
}

impl Decoder {
    /// Returns the most bytes of memory beyond those that any document may take, for each byte of a
    /// document.
    fn worst(&self) -> usize {
        self.documents.iter().map(|document| self.factor_of(document)).max().unwrap_or_default()
    }

    fn factor_of(&self, document: &[u8]) -> usize {
        let decode = || {
            let ((), peak) = peak_of_threads(|| (self.decode)(document));
            peak.saturating_sub(self.base).div_ceil(document.len())
        };
        // Tables that are made once, in the first run, do not count: input does not multiply them.
        let first = decode();
        if first > self.factor { decode() } else { first }
    }
}

fn check() {
    let decoders = json::decoders()
        .into_iter()
        .chain(text::decoders())
        .chain(schemas::decoders())
        .chain(archives::decoders());
    let mut failed = Vec::new();
    for decoder in decoders {
        let worst = decoder.worst();
        let base = decoder.base >> 10;
        println!("{worst:5} of {:5}, beyond {base:5} KiB: {}", decoder.factor, decoder.name);
        if worst > decoder.factor {
            failed.push(decoder.name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// Some decoders have threads of their own, so this test runs alone, in a process that counts what
/// all threads allocate.
#[test]
fn no_byte_of_a_document_takes_more_memory_than_its_decoder_allows() {
    if std::env::var_os(COUNTS).is_some() {
        return check();
    }
    let program = std::env::current_exe().unwrap();
    let counts = Command::new(program)
        .args([TEST, "--exact", "--nocapture", "--test-threads=1"])
        .env(COUNTS, "1")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&counts.stdout);
    println!("{printed}");
    assert!(printed.contains("1 passed"), "{}", String::from_utf8_lossy(&counts.stderr));
}
