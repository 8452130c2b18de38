//! Maps source paths to places in the text.

use std::collections::HashMap;
use std::sync::OnceLock;

use prost::Message;
use prost::bytes::Bytes;

use super::super::descriptor::{SourceInfo, SourceLocation};
use super::text::{self, LineColumn};

/// The locations of the parts of one file. Decoded and indexed on first use, because most files have no finding.
#[derive(Debug)]
pub(in crate::diff) struct Locations {
    /// [`SourceInfo`], encoded. Bytes that are none give no places, as if the set came without source info.
    encoded: Bytes,
    /// The text of the file, if its places are to be adjusted to it.
    text: Option<String>,
    by_path: OnceLock<HashMap<Vec<i32>, LineColumn>>,
}

impl Locations {
    pub(super) fn new(encoded: Bytes, text: Option<String>) -> Self {
        Self {
            encoded,
            text,
            by_path: OnceLock::new(),
        }
    }

    /// Returns the first place recorded for exactly this path.
    pub(in crate::diff) fn at(&self, path: &[i32]) -> Option<LineColumn> {
        self.by_path.get_or_init(|| self.index()).get(path).copied()
    }

    fn all(&self) -> Vec<SourceLocation> {
        let info = SourceInfo::decode(self.encoded.clone());
        info.map(|info| info.location).unwrap_or_default()
    }

    fn index(&self) -> HashMap<Vec<i32>, LineColumn> {
        let all = self.all();
        let mut by_path = HashMap::with_capacity(all.len());
        for location in all {
            let start = start(&location);
            by_path.entry(location.path).or_insert(start);
        }
        if let Some(text) = &self.text {
            text::adjust(&mut by_path, text);
        }
        by_path
    }

    /// Returns the place of an option: exact, else inside it, else the nearest that contains it and
    /// is itself at least `shortest` long. An option may be written whole or part by part.
    pub(in crate::diff) fn of_option(&self, path: &[i32], shortest: usize) -> Option<LineColumn> {
        if let Some(place) = self.at(path) {
            return Some(place);
        }
        let all = self.all();
        let mut around: Option<&SourceLocation> = None;
        for location in &all {
            let longest = around.map_or(0, |found| found.path.len());
            if path.starts_with(&location.path)
                && location.path.len() >= shortest
                && location.path.len() > longest
            {
                around = Some(location);
            } else if location.path.starts_with(path) {
                return Some(start(location));
            }
        }
        around.map(start)
    }
}

/// Returns the start of a location. A span has three or four numbers; anything else is not a place.
fn start(location: &SourceLocation) -> LineColumn {
    let from_one = |number: i32| u32::try_from(number).unwrap_or(0).saturating_add(1);
    match location.span[..] {
        [line, column, _] | [line, column, _, _] => (from_one(line), from_one(column)),
        _ => (1, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locations(entries: &[(&[i32], &[i32])]) -> Locations {
        let all = entries.iter().map(|(path, span)| SourceLocation {
            path: path.to_vec(),
            span: span.to_vec(),
        });
        let info = SourceInfo {
            location: all.collect(),
        };
        Locations::new(info.encode_to_vec().into(), None)
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
