//! The memory that a descriptor set takes, estimated before it is decoded: an empty element has two
//! bytes in the set and hundreds in memory.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use super::problem;
use crate::error::Problem;

/// The bytes of memory for each byte of a set. Sets that compilers write take about 15.
const FACTOR: usize = 20;

/// The bytes of memory that every set may take.
const LEAST: usize = 64 << 20;

/// The deepest nesting that is decoded at all.
const MAX_DEPTH: u8 = 100;

/// A message of `descriptor.proto`, as far as sizes depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Set,
    File,
    Message,
    Enum,
    Service,
    SourceInfo,
    /// `FieldDescriptorProto`, also of an extension.
    Field,
    /// All options, and messages without parts that take memory.
    Other,
    /// Text, bytes or a list of numbers.
    Text,
}

impl Kind {
    /// Returns the kind of a field with this number.
    fn part(self, number: u32) -> Kind {
        match (self, number) {
            (Kind::Set, 1) => Kind::File,
            (Kind::File, 4) | (Kind::Message, 3) => Kind::Message,
            (Kind::File, 5) | (Kind::Message, 4) => Kind::Enum,
            (Kind::File, 6) => Kind::Service,
            (Kind::File, 7) | (Kind::Message, 2 | 6) => Kind::Field,
            (Kind::File, 9) => Kind::SourceInfo,
            (Kind::File, 8)
            | (Kind::Message, 5 | 7 | 8 | 9)
            | (Kind::Enum, 2..=4)
            | (Kind::Service, 2 | 3)
            | (Kind::Field, 8)
            | (Kind::SourceInfo, 1)
            | (Kind::Other, _) => Kind::Other,
            (
                Kind::Set
                | Kind::File
                | Kind::Message
                | Kind::Enum
                | Kind::Service
                | Kind::SourceInfo
                | Kind::Field
                | Kind::Text,
                _,
            ) => Kind::Text,
        }
    }

    /// Returns the bytes of memory that an element takes without its parts.
    fn memory(self) -> usize {
        match self {
            Kind::Message => 500,
            Kind::Field => 300,
            Kind::Set | Kind::File | Kind::Enum | Kind::Service => 250,
            Kind::SourceInfo | Kind::Other => 120,
            Kind::Text => 24,
        }
    }

    /// Returns true if elements of this kind have parts that count.
    fn has_parts(self) -> bool {
        !matches!(self, Kind::Other | Kind::Text)
    }
}

/// Checks that a set does not take far more memory than bytes. A set that cannot be read passes:
/// decoding says why.
pub(crate) fn check(set: &[u8]) -> Result<(), Problem> {
    let limit = LEAST.saturating_add(set.len().saturating_mul(FACTOR));
    let mut left = limit;
    match charge(set, Kind::Set, &mut left, 0) {
        Some(()) => Ok(()),
        None => Err(problem::too_much_memory(limit)),
    }
}

/// Takes the memory of all parts from what is left. Returns `None` if that is not enough.
fn charge(mut rest: &[u8], kind: Kind, left: &mut usize, depth: u8) -> Option<()> {
    while !rest.is_empty() && depth < MAX_DEPTH {
        let Some((number, content)) = part(&mut rest) else { return Some(()) };
        let Some(content) = content else { continue };
        let part = kind.part(number);
        *left = left.checked_sub(part.memory())?;
        if part.has_parts() {
            charge(content, part, left, depth + 1)?;
        } else {
            *left = left.checked_sub(content.len())?;
        }
    }
    Some(())
}

/// Takes a field; without content if it is a number. Returns `None` if it cannot be read.
fn part<'a>(rest: &mut &'a [u8]) -> Option<(u32, Option<&'a [u8]>)> {
    let (number, wire_type) = decode_key(rest).ok()?;
    if wire_type != WireType::LengthDelimited {
        skip_field(wire_type, number, rest, DecodeContext::default()).ok()?;
        return Some((number, None));
    }
    let len = usize::try_from(decode_varint(rest).ok()?).ok()?;
    let (content, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some((number, Some(content)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    /// Returns a set with one file, in which a field is full of empty elements.
    fn full_of(number: u8, elements: usize) -> Vec<u8> {
        delimited(1, &[(number << 3) | 2, 0].repeat(elements))
    }

    fn delimited(number: u8, content: &[u8]) -> Vec<u8> {
        let mut encoded = vec![(number << 3) | 2];
        prost::encoding::encode_varint(content.len() as u64, &mut encoded);
        encoded.extend(content);
        encoded
    }

    #[test]
    fn real_sets_pass() {
        for revision in nri_protos::REVISIONS {
            assert!(check(revision.descriptors).is_ok(), "{}", revision.name);
        }
    }

    #[test]
    fn sets_of_empty_elements_are_refused_before_they_are_decoded() {
        // Messages, enums, services, extensions.
        for number in [4, 5, 6, 7] {
            let error = Schema::decode(&full_of(number, 2 << 20)).unwrap_err();
            assert!(error.to_string().contains("bytes of memory"), "{number}: {error}");
        }
        let fields = [(2 << 3) | 2, 0].repeat(2 << 20);
        assert!(check(&delimited(1, &delimited(4, &fields))).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_left_to_the_decoder() {
        for set in [
            &b"\x0a"[..],
            b"\x0a\x05\x22",
            b"\x0b\x0b",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert!(check(set).is_ok(), "{set:?}");
        }
        // Deeper than any decoder goes.
        let mut nested = Vec::new();
        for _ in 0..1000 {
            nested = delimited(3, &nested);
        }
        assert!(check(&delimited(1, &delimited(4, &nested))).is_ok());
    }
}
