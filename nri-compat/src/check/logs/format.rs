//! Formats that log lines come in, one file each, and the loop that takes them off like the skins of an onion.

mod collector;
mod containerd_json;
mod cri;
mod deprecations;
mod journal_json;
mod journal_text;
mod json;
mod logfmt;

pub(super) use deprecations::is_list;

/// Skins taken off at most: a collector around journald around logfmt is three.
const DEPTH: usize = 6;

/// Tried in this order: those that tell themselves most surely come first.
const FORMATS: [fn(&str, &mut Around) -> Option<Peeled>; 5] = [
    json::peel,
    deprecations::peel,
    logfmt::peel,
    journal_text::peel,
    cri::peel,
];

/// What the skins say: the innermost that says anything is right, since it is nearest to the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    /// Time stamp as it stands there.
    pub(super) time: Option<String>,
    /// Host that the line comes from.
    pub(super) node: Option<String>,
}

impl Around {
    fn time(&mut self, time: Option<impl Into<String>>) {
        self.time = time.map(Into::into).or_else(|| self.time.take());
    }

    fn node(&mut self, node: Option<impl Into<String>>) {
        let node = node.map(Into::into).filter(|node| !node.is_empty());
        self.node = node.or_else(|| self.node.take());
    }
}

/// What is left of a line under one skin.
#[derive(Debug, PartialEq, Eq)]
enum Peeled {
    /// A line within the line.
    Inner(String),
    /// What the runtime said.
    Said(Said),
}

/// What is left of a line when nothing more comes off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A message of the runtime, with its fields.
    Message(Message),
    /// Entries of `ctr deprecations list`: id, last occurrence.
    Listed(Vec<(String, Option<String>)>),
    /// The last occurrence of the entry whose id came on a line before.
    ListedAt(String),
}

/// A message of the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// `msg`
    pub(super) text: String,
    /// `plugin`
    pub(super) plugin: Option<String>,
    /// `deprecated`
    pub(super) deprecated: Option<String>,
    /// `details`
    pub(super) details: Option<String>,
}

/// Takes all skins off a line.
pub(super) fn read(line: &[u8]) -> (Around, Said) {
    let mut around = Around::default();
    let mut text = String::from_utf8_lossy(line).into_owned();
    for _ in 0..DEPTH {
        let trimmed = text.trim_matches(is_padding);
        match FORMATS.iter().find_map(|peel| peel(trimmed, &mut around)) {
            Some(Peeled::Inner(inner)) => text = inner,
            Some(Peeled::Said(said)) => return (around, said),
            None => break,
        }
    }
    let text = text.trim_matches(is_padding).to_owned();
    (
        around,
        Said::Message(Message {
            text,
            ..Message::default()
        }),
    )
}

/// Whether a line comes in one of the formats beyond doubt: it has a skin, and that says when it was written.
pub(super) fn is_sure(line: &str) -> bool {
    let mut around = Around::default();
    let trimmed = line.trim_matches(is_padding);
    let peeled = FORMATS
        .iter()
        .any(|peel| peel(trimmed, &mut around).is_some());
    peeled && around.time.is_some()
}

/// White space, what a crash leaves at the end of a file, a byte order mark.
fn is_padding(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\0' | '\u{feff}')
}
