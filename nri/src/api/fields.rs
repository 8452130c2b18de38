//! Which release brought which field of the messages that plugins and runtimes send. An older peer skips newer fields
//! without a word.

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
pub struct Field {
    /// The message: `LinuxContainerAdjustment`.
    pub message: &'static str,
    /// The field's name: `memory_policy`.
    pub name: &'static str,
    /// The field's number.
    pub number: u32,
    /// The first release whose protocol has it: `v0.12.0`.
    pub since: &'static str,
    /// The message that it holds, if that has fields in this table; of a map, the message that its values are.
    pub of: Option<&'static str>,
    /// Whether it is a map.
    pub is_map: bool,
}

/// A field in use that a runtime is too old for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newer {
    /// The field as reached from the message: `linux.memory_policy`.
    pub field: String,
    /// The first release whose protocol has it: `v0.12.0`.
    pub since: &'static str,
}

/// Major, minor and patch of a release; `None` where these are no numbers (`devel`). What follows a hyphen is left out:
/// v0.9.1-0.20250219030224-e597e7849f24 comes after v0.9.0 and before v0.10.0, where 0.9.1 lies.
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
