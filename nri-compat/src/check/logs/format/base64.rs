//! Base64 within a text, plain or of gzip, as in exports of message queues and cloud providers.

use std::io::Read;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use memchr::memmem;

use crate::check::logs::mention::BASE64;
use crate::check::logs::scan::LONGEST_LINE;
use crate::packing::Packing;
use crate::unpack::unpacked;

/// Accepts text without padding, or that was cut.
const DECODER: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The minimum number of characters of encoded text that can have a warning.
const SHORTEST: usize = 24;

/// The contents of Base64 within a text.
#[derive(Debug, Default)]
pub(in super::super) struct Decoded {
    /// The decoded texts.
    pub(in super::super) texts: Vec<String>,
    /// True if some of it is compressed and cannot be read to its end.
    pub(in super::super) is_cut: bool,
}

/// Decodes the parts of a text that may be about a deprecated interface.
pub(in super::super) fn decode(text: &str) -> Decoded {
    let mut decoded = Decoded::default();
    if !may_be_encoded(text) {
        return decoded;
    }
    // JSON may escape slashes and line ends.
    let text = text.replace("\\/", "/").replace("\\n", "");
    let parts = text.split(|letter: char| !is_encoded(letter));
    for part in parts.filter(|part| part.len() >= SHORTEST && may_be_encoded(part)) {
        decoded.add(part);
    }
    decoded
}

impl Decoded {
    fn add(&mut self, part: &str) {
        let part = part.replace('-', "+").replace('_', "/");
        let whole = part.len() - usize::from((part.len() + 3).is_multiple_of(4));
        let Ok(bytes) = DECODER.decode(part.get(..whole).unwrap_or(&part)) else {
            return;
        };
        let (text, is_cut) = plain(&bytes);
        self.is_cut |= is_cut;
        self.texts.push(text);
    }
}

/// Returns bytes as text, decompressed if necessary, and true if they were cut.
fn plain(bytes: &[u8]) -> (String, bool) {
    if Packing::of(bytes) == Packing::Not {
        return (String::from_utf8_lossy(bytes).into_owned(), false);
    }
    let mut text = Vec::new();
    let limit = LONGEST_LINE as u64;
    let end = unpacked(bytes).and_then(|all| all.take(limit).read_to_end(&mut text));
    let is_cut = end.is_err() || text.len() >= LONGEST_LINE;
    (String::from_utf8_lossy(&text).into_owned(), is_cut)
}

fn may_be_encoded(text: &str) -> bool {
    let mut parts = BASE64.iter();
    parts.any(|part| memmem::find(text.as_bytes(), part).is_some())
}

fn is_encoded(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '-' | '_')
}
