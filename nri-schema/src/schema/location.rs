//! Maps source paths to places in the text.

use std::collections::HashMap;
use std::sync::OnceLock;

use prost::Message;
use prost::bytes::Bytes;
use prost_reflect::FileDescriptor;
use prost_types::source_code_info::Location;

use super::descriptor::{SourceInfo, SourceLocation};

/// A line and column, both counted from 1.
pub type LineColumn = (u32, u32);

/// Moves the places of a file, by path, to where another compiler has them in its text.
pub type Adjust = fn(&mut HashMap<Vec<i32>, LineColumn>, &str);

/// The source info of a file, which takes more memory than the rest of it when it is decoded.
#[derive(Debug)]
pub(super) enum Source {
    /// [`SourceInfo`], encoded. Bytes that are none give no places, as if the set came without
    /// source info.
    Encoded(Bytes),
    /// The file of a pool, which holds it.
    Compiled(FileDescriptor),
}

impl Source {
    /// Calls `visit` with each entry, in the order of the source info.
    fn each(&self, mut visit: impl FnMut(Entry<'_>)) {
        match self {
            Source::Encoded(encoded) => {
                let info = SourceInfo::decode(encoded.clone()).unwrap_or_default();
                info.location.iter().for_each(|location| visit(location.into()));
            }
            Source::Compiled(file) => {
                let info = file.file_descriptor_proto().source_code_info.iter();
                info.flat_map(|info| &info.location).for_each(|location| visit(location.into()));
            }
        }
    }
}

/// One entry of source info.
struct Entry<'s> {
    path: &'s [i32],
    span: &'s [i32],
    leading_comments: &'s [u8],
    trailing_comments: &'s [u8],
}

impl<'s> From<&'s SourceLocation> for Entry<'s> {
    fn from(location: &'s SourceLocation) -> Self {
        Self {
            path: &location.path,
            span: &location.span,
            leading_comments: &location.leading_comments,
            trailing_comments: &location.trailing_comments,
        }
    }
}

impl<'s> From<&'s Location> for Entry<'s> {
    fn from(location: &'s Location) -> Self {
        Self {
            path: &location.path,
            span: &location.span,
            leading_comments: location.leading_comments().as_bytes(),
            trailing_comments: location.trailing_comments().as_bytes(),
        }
    }
}

/// The locations of the parts of one file. Decoded and indexed on first use, because most files
/// have no finding.
#[derive(Debug)]
pub struct Locations {
    source: Source,
    /// The text of the file and how to adjust its places to it.
    text: Option<(String, Adjust)>,
    by_path: OnceLock<HashMap<Vec<i32>, LineColumn>>,
}

impl Locations {
    pub(super) fn new(source: Source) -> Self {
        Self { source, text: None, by_path: OnceLock::new() }
    }

    /// Adjusts the places to the text of the file.
    pub(super) fn adjust(&mut self, text: String, adjust: Adjust) {
        self.text = Some((text, adjust));
        self.by_path.take();
    }

    /// Returns the first place recorded for exactly this path.
    pub fn at(&self, path: &[i32]) -> Option<LineColumn> {
        self.by_path.get_or_init(|| self.index()).get(path).copied()
    }

    fn index(&self) -> HashMap<Vec<i32>, LineColumn> {
        let mut by_path = HashMap::new();
        self.source.each(|entry| {
            by_path.entry(entry.path.to_vec()).or_insert(start(entry.span));
        });
        if let Some((text, adjust)) = &self.text {
            adjust(&mut by_path, text);
        }
        by_path
    }

    /// Returns the comment and the place of each declaration that has one, as the compiler wrote
    /// them.
    pub(crate) fn comments(&self) -> HashMap<Vec<i32>, (String, LineColumn)> {
        let mut by_path = HashMap::new();
        self.source.each(|entry| {
            // The kind of each enclosing declaration and its index: parts of a declaration have an
            // odd number of steps.
            if entry.path.len() % 2 == 0 && !entry.path.is_empty() {
                let text = match entry.leading_comments {
                    [] => entry.trailing_comments,
                    leading => leading,
                };
                let about = || (comment(&String::from_utf8_lossy(text)), start(entry.span));
                by_path.entry(entry.path.to_vec()).or_insert_with(about);
            }
        });
        by_path
    }

    /// Returns the place of an option: exact, else inside it, else the nearest that contains it and
    /// is itself at least `shortest` long. An option may be written whole or part by part.
    pub fn of_option(&self, path: &[i32], shortest: usize) -> Option<LineColumn> {
        if let Some(place) = self.at(path) {
            return Some(place);
        }
        let (mut inside, mut around) = (None, None);
        let mut longest = 0;
        self.source.each(|entry| {
            let length = entry.path.len();
            if path.starts_with(entry.path) && length >= shortest && length > longest {
                longest = length;
                around = Some(start(entry.span));
            } else if entry.path.starts_with(path) && inside.is_none() {
                inside = Some(start(entry.span));
            }
        });
        inside.or(around)
    }
}

/// Returns the start of a location. A span has three or four numbers; anything else is not a place.
fn start(span: &[i32]) -> LineColumn {
    let from_one = |number: i32| u32::try_from(number).unwrap_or(0).saturating_add(1);
    match *span {
        [line, column, _] | [line, column, _, _] => (from_one(line), from_one(column)),
        _ => (1, 1),
    }
}

/// Returns the comment's lines, without the space that separates them from the comment signs.
fn comment(text: &str) -> String {
    let lines = text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locations(entries: &[(&[i32], &[i32])]) -> Locations {
        let location = entries.iter().map(|(path, span)| SourceLocation {
            path: path.to_vec(),
            span: span.to_vec(),
            ..SourceLocation::default()
        });
        let info = SourceInfo { location: location.collect() };
        Locations::new(Source::Encoded(info.encode_to_vec().into()))
    }

    #[test]
    fn the_first_place_of_a_path_counts() {
        let found = locations(&[(&[4, 0], &[1, 2, 3]), (&[4, 0], &[7, 7, 7, 7])]);
        assert_eq!(found.at(&[4, 0]), Some((2, 3)));
        assert_eq!(found.at(&[4]), None);
    }

    #[test]
    fn a_span_that_is_none_is_the_start_of_the_file() {
        let found = locations(&[(&[4], &[]), (&[5], &[-3, i32::MAX, 0])]);
        assert_eq!(found.at(&[4]), Some((1, 1)));
        assert_eq!(found.at(&[5]), Some((1, i32::MAX as u32 + 1)));
    }

    #[test]
    fn an_option_is_found_whole_or_by_a_part() {
        let whole = locations(&[(&[8], &[0, 0, 0]), (&[8, 50], &[1, 0, 0])]);
        assert_eq!(whole.of_option(&[8, 50, 2], 2), Some((2, 1)));
        assert_eq!(whole.of_option(&[8, 51, 2], 2), None);
        let part = locations(&[(&[8, 50, 2, 1], &[3, 0, 0])]);
        assert_eq!(part.of_option(&[8, 50, 2], 2), Some((4, 1)));
    }
}
