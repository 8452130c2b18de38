//! NRI releases, as named in attributes and in the table.

use crate::table::RELEASES;

/// The numbers of a release: major, minor, patch.
pub(crate) type Version = (u32, u32, u32);

/// Returns the numbers of a release. Anything after a hyphen is ignored: the untagged
/// v0.9.1-0.20250219030224-e597e7849f24 counts as 0.9.1, after 0.9.0 and before 0.10.0.
pub(crate) fn version(release: &str) -> Version {
    let numbers = release
        .trim_start_matches('v')
        .split('-')
        .next()
        .unwrap_or_default();
    let mut numbers = numbers
        .split('.')
        .map(|number| number.parse().unwrap_or_default());
    let mut next = || numbers.next().unwrap_or_default();
    (next(), next(), next())
}

/// Returns the release named by `0.11` (the oldest 0.11), `0.11.0` or `v0.11.0`.
pub(crate) fn resolve(asked: &str) -> Option<&'static str> {
    let asked = asked.strip_prefix('v').unwrap_or(asked);
    let exact = asked.split('.').count() == 3;
    RELEASES.iter().copied().find(|release| {
        let release = release.trim_start_matches('v');
        release == asked
            || (!exact
                && release
                    .rsplit_once('.')
                    .is_some_and(|(minor, _)| minor == asked))
    })
}

/// Returns `0.10` for `v0.10.0`.
pub(crate) fn minor(release: &str) -> String {
    let (major, minor, _) = version(release);
    format!("{major}.{minor}")
}

/// Returns the oldest and the newest minor release, such as `0.2` and `0.12`.
pub(crate) fn range() -> (String, String) {
    let named = |release: Option<&&str>| minor(release.copied().unwrap_or_default());
    (named(RELEASES.first()), named(RELEASES.last()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minor_stands_for_its_oldest_patch() {
        assert_eq!(resolve("0.6"), Some("v0.6.0"));
        assert_eq!(resolve("v0.6.1"), Some("v0.6.1"));
        assert_eq!(resolve("0.6.2"), None);
        assert_eq!(resolve("0"), None);
        assert_eq!(resolve(""), None);
    }

    #[test]
    fn an_untagged_release_lies_between_its_neighbours() {
        let untagged = version("v0.9.1-0.20250219030224-e597e7849f24");
        assert!(version("v0.9.0") < untagged && untagged < version("v0.10.0"));
    }
}
