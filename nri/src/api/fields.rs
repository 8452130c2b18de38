//! The release that added each field of the messages that plugins and runtimes send. An older peer
//! silently ignores newer fields.

#[cfg(feature = "adaptation")]
mod strip;
#[rustfmt::skip]
mod table;
mod walk;

#[cfg(feature = "adaptation")]
pub(crate) use strip::without_newer;
pub use table::FIELDS;
pub(crate) use walk::{is_outdated, newer_than};

/// A field of a message that a plugin or a runtime sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageField {
    /// The message, such as `LinuxContainerAdjustment`.
    pub message: &'static str,
    /// The name of the field, such as `memory_policy`.
    pub name: &'static str,
    /// The number of the field.
    pub number: u32,
    /// The first release that has the field, such as `v0.12.0`.
    pub since: &'static str,
    /// The message type of the field, if that type has fields in this table; for a map, the type of
    /// its values.
    pub of: Option<&'static str>,
    /// True if it is a map.
    pub is_map: bool,
}

/// A field in use that is too new for a runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newer {
    /// The path of the field from the message, such as `linux.memory_policy`.
    pub field: String,
    /// The first release that has the field, such as `v0.12.0`.
    pub since: &'static str,
}

/// Returns the major, minor and patch number of a release; `None` if these are not numbers
/// (`devel`). Ignores anything after a hyphen: v0.9.1-0.20250219030224-e597e7849f24 comes after
/// v0.9.0 and before v0.10.0, like 0.9.1.
pub(crate) fn numbers(release: &str) -> Option<[u32; 3]> {
    let release = release.strip_prefix('v').unwrap_or(release);
    let mut numbers = release
        .split(['-', '+'])
        .next()?
        .split('.')
        .map(|number| number.parse().ok());
    let found = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn releases_are_ordered_by_number() {
        let untagged = numbers("v0.9.1-0.20250219030224-e597e7849f24");
        assert!(numbers("0.9.0") < untagged && untagged < numbers("v0.10.0"));
        for none in ["", "devel", "v0.12", "v1.2.3.4", "v0.x.1", "v-1.2.3"] {
            assert_eq!(numbers(none), None, "{none}");
        }
    }

    #[test]
    fn every_release_of_the_table_has_numbers() {
        assert!(
            super::FIELDS
                .iter()
                .all(|field| numbers(field.since).is_some())
        );
    }
}
