//! Finds the fields in use that a release does not know. Works on the encoded message, so the table
//! needs no code per message.

use std::sync::LazyLock;

use super::{FIELDS, MessageField, Newer};
use crate::codec::DecodeError;
use crate::codec::wire::{RawField, fields};

/// The number of the value in a map entry.
const MAP_VALUE: u32 = 2;

/// Returns the fields set in an encoded message that are newer than a release, each once, in the
/// order of the message.
///
/// Returns no fields if the release has no number or the bytes are not a message.
pub fn newer_than(message: &str, encoded: &[u8], release: &str) -> Vec<Newer> {
    let mut walk = Walk { release: numbers(release), found: Vec::new() };
    if walk.release.is_some() && walk.run(message, encoded, "").is_err() {
        walk.found.clear();
    }
    walk.found
}

/// The release of the newest field.
static NEWEST: LazyLock<Option<[u32; 3]>> =
    LazyLock::new(|| FIELDS.iter().filter_map(|f| numbers(f.since)).max());

/// Returns true if any field is newer than the release. If not, messages need not be encoded to
/// look for such fields.
pub fn is_outdated(release: &str) -> bool {
    let version = numbers(release);
    version.is_some() && *NEWEST > version
}

struct Walk {
    release: Option<[u32; 3]>,
    found: Vec<Newer>,
}

impl Walk {
    fn run(&mut self, message: &str, encoded: &[u8], path: &str) -> Result<(), DecodeError> {
        let rows = rows(message);
        for raw in fields(encoded) {
            let raw = raw?;
            if let Some(field) = rows.iter().find(|field| field.number == raw.number) {
                self.field(field, raw, path)?;
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &MessageField,
        raw: RawField<'_>,
        path: &str,
    ) -> Result<(), DecodeError> {
        let path =
            if path.is_empty() { field.name.to_owned() } else { format!("{path}.{}", field.name) };
        if numbers(field.since) > self.release {
            self.note(path, field.since);
        } else if let (Some(of), Some(content)) = (field.of, raw.bytes()) {
            let content = if field.is_map { map_value(content)? } else { content };
            self.run(of, content, &path)?;
        }
        Ok(())
    }

    fn note(&mut self, field: String, since: &'static str) {
        if !self.found.iter().any(|newer| newer.field == field) {
            self.found.push(Newer { field, since });
        }
    }
}

/// Returns the rows of a message, which are adjacent in the table.
pub fn rows(message: &str) -> &'static [MessageField] {
    let mut messages = FIELDS.chunk_by(|a, b| a.message == b.message);
    let of_message =
        |rows: &&[MessageField]| rows.first().is_some_and(|row| row.message == message);
    messages.find(of_message).unwrap_or_default()
}

fn map_value(entry: &[u8]) -> Result<&[u8], DecodeError> {
    for field in fields(entry) {
        let field = field?;
        if let (MAP_VALUE, Some(content)) = (field.number, field.bytes()) {
            return Ok(content);
        }
    }
    Ok(&[])
}

/// Returns the major, minor and patch number of a release; `None` if these are not numbers
/// (`devel`). Ignores anything after a hyphen: v0.9.1-0.20250219030224-e597e7849f24 comes after
/// v0.9.0 and before v0.10.0, like 0.9.1.
pub fn numbers(release: &str) -> Option<[u32; 3]> {
    let release = release.strip_prefix('v').unwrap_or(release);
    let mut numbers =
        release.split(['-', '+']).next()?.split('.').map(|number| number.parse().ok());
    let found = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_walked_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let found = newer_than("CreateContainerResponse", &bytes, "v0.2.0");
            prop_assert!(found.len() <= FIELDS.len());
        }
    }

    #[test]
    fn bytes_that_are_no_message_have_no_fields() {
        assert_eq!(newer_than("ContainerAdjustment", &[0x4a, 0x00, 0xff], "v0.2.0"), []);
        assert_eq!(
            newer_than("ContainerAdjustment", &[0x4a, 0x00], "v0.2.0").len(),
            1,
            "args, cut at no field"
        );
    }

    #[test]
    fn only_an_older_release_is_outdated() {
        assert!(is_outdated("v0.12.3"));
        assert!(!is_outdated("v99.0.0"));
        assert!(!is_outdated("devel"));
    }

    #[test]
    fn releases_are_ordered_by_number() {
        let untagged = numbers("v0.9.1-0.20250219030224-e597e7849f24");
        assert!(numbers("0.9.0") < untagged && untagged < numbers("v0.10.0"));
        for none in ["", "devel", "v0.12", "v1.2.3.4", "v0.x.1", "v-1.2.3"] {
            assert_eq!(numbers(none), None, "{none}");
        }
    }
}
