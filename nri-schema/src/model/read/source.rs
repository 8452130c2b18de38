//! Comments and locations from the source info of a descriptor.
//!
//! A compiler records several places per declaration: those of its name, its type, its number. The
//! model has one, so the others are skipped without decoding them.

use std::collections::HashMap;

use prost_types::SourceCodeInfo;
use protox::prost::bytes::Bytes;
use protox::prost::encoding::encode_varint;
use protox::prost::{self, Message as _};

use crate::model::{About, Location};

/// A `SourceCodeInfo` whose entries are still encoded.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
struct Entries {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    location: Vec<Bytes>,
}

/// The path of a `SourceCodeInfo.Location`, still encoded.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
struct EncodedPath {
    #[prost(bytes = "bytes", tag = "1")]
    path: Bytes,
}

/// The rest of a `SourceCodeInfo.Location`.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
struct Info {
    #[prost(int32, repeated, tag = "2")]
    span: Vec<i32>,
    #[prost(string, tag = "3")]
    leading_comments: String,
    #[prost(string, tag = "4")]
    trailing_comments: String,
}

/// The source info of one file, by encoded path.
pub(super) struct SourceInfo<'f> {
    file: &'f str,
    by_path: HashMap<Bytes, Bytes>,
}

impl<'f> SourceInfo<'f> {
    /// Reads the encoded source info of the file of this name. Source info that cannot be decoded
    /// gives no comments and locations, as if there were none.
    pub(super) fn of(file: &'f str, encoded: &Bytes) -> Self {
        let by_path = by_path(encoded).or_else(|| by_path(&packed(encoded)?));
        SourceInfo {
            file,
            by_path: by_path.unwrap_or_default(),
        }
    }

    fn about(&self, path: &[u8]) -> About {
        let info = self.by_path.get(path);
        let info = info.and_then(|encoded| Info::decode(encoded.clone()).ok());
        info.map_or_else(About::default, |info| About {
            comment: comment(&info),
            location: self.location(&info),
        })
    }

    fn location(&self, info: &Info) -> Option<Location> {
        let from_one = |index| u32::try_from(*info.span.get(index)?).ok()?.checked_add(1);
        Some(Location {
            file: self.file.to_owned(),
            line: from_one(0)?,
            column: from_one(1)?,
        })
    }
}

/// Returns the entries by their encoded paths; `None` if the source info cannot be decoded in this
/// way.
fn by_path(encoded: &Bytes) -> Option<HashMap<Bytes, Bytes>> {
    let all = Entries::decode(encoded.clone()).ok()?.location;
    let mut by_path = HashMap::with_capacity(all.len() / 4);
    for entry in all {
        let path = EncodedPath::decode(entry.clone()).ok()?.path;
        if may_be_declaration(&path) {
            by_path.insert(path, entry);
        }
    }
    Some(by_path)
}

/// Encodes source info again, with packed paths: every known compiler packs them, but a decoder has
/// to accept the other form.
fn packed(encoded: &Bytes) -> Option<Bytes> {
    let info = SourceCodeInfo::decode(encoded.clone()).ok()?;
    Some(info.encode_to_vec().into())
}

/// Reports whether a path has an even number of steps: the kind of each declaration, and its index.
fn may_be_declaration(path: &[u8]) -> bool {
    let ends = path.iter().filter(|byte| **byte < 0x80);
    ends.count() % 2 == 0
}

/// Returns the comment's lines, without the space that separates them from the comment signs.
fn comment(info: &Info) -> String {
    let text = match info.leading_comments.as_str() {
        "" => &info.trailing_comments,
        leading => leading,
    };
    let lines = text
        .lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    lines
        .collect::<Vec<_>>()
        .join("\n")
        .trim_matches('\n')
        .to_owned()
}

/// The position in a file: the encoded path of source info, and the name of the enclosing
/// declaration.
pub(super) struct Path<'s> {
    source: &'s SourceInfo<'s>,
    path: Vec<u8>,
    scope: &'s str,
}

impl<'s> Path<'s> {
    /// Starts at the declarations of this kind in a package.
    pub(super) fn new(source: &'s SourceInfo<'s>, package: &'s str, kind: u32) -> Self {
        let mut path = Vec::new();
        encode_varint(kind.into(), &mut path);
        Path {
            source,
            path,
            scope: package,
        }
    }

    /// Moves on to the declaration with this index.
    pub(super) fn at(&self, index: u32) -> Path<'s> {
        Path {
            path: self.extended(index),
            ..*self
        }
    }

    /// Enters a declaration, whose name precedes the names of the `kind` in it.
    pub(super) fn within<'n>(&'n self, full_name: &'n str, kind: u32) -> Path<'n> {
        Path {
            source: self.source,
            path: self.extended(kind),
            scope: full_name,
        }
    }

    fn extended(&self, step: u32) -> Vec<u8> {
        let mut path = Vec::with_capacity(self.path.len() + 2);
        path.extend_from_slice(&self.path);
        encode_varint(step.into(), &mut path);
        path
    }

    /// Returns the name of a declaration here, with the names of those that enclose it.
    pub(super) fn full_name(&self, name: &str) -> String {
        match self.scope {
            "" => name.to_owned(),
            scope => [scope, ".", name].concat(),
        }
    }

    /// Returns the comment and the location of the declaration here.
    pub(super) fn about(&self) -> About {
        self.source.about(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use prost_types::source_code_info::Location as Entry;

    use super::*;

    fn about(encoded: Vec<u8>) -> About {
        let source = SourceInfo::of("a.proto", &encoded.into());
        Path::new(&source, "a", 4).at(200).about()
    }

    fn entry(path: &[i32], comment: &str) -> Entry {
        Entry {
            path: path.to_vec(),
            span: vec![6, 2, 9],
            leading_comments: Some(comment.to_owned()),
            ..Entry::default()
        }
    }

    #[test]
    fn a_declaration_has_the_comment_and_the_place_of_its_path() {
        let info = SourceCodeInfo {
            location: vec![entry(&[4, 200, 1], "no"), entry(&[4, 200], " A pod.\n")],
        };
        let found = about(info.encode_to_vec());
        assert_eq!(found.comment, "A pod.");
        let place = found.location.expect("a place");
        assert_eq!(
            (place.file.as_str(), place.line, place.column),
            ("a.proto", 7, 3)
        );
    }

    #[test]
    fn paths_may_be_unpacked_and_damage_gives_nothing() {
        // Path 4, 200 as two fields; span 6, 2, 9; a comment.
        let entry = b"\x08\x04\x08\xc8\x01\x12\x03\x06\x02\x09\x1a\x01a";
        let size = u8::try_from(entry.len()).expect("short");
        let info = [&[0x0a, size], &entry[..]].concat();
        assert_eq!(about(info.clone()).comment, "a");
        assert_eq!(about(info[..5].to_vec()), About::default());
    }
}
