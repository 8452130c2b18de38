//! The oldest supported release, of `protocol = "…"`, and the releases of the table.

use quote::ToTokens;
use syn::LitStr;

use crate::diagnostics::Diagnostics;
use crate::table::{RELEASES, Rpc};

/// The oldest supported release.
pub(crate) struct Protocol {
    pub(crate) written: LitStr,
    pub(crate) release: &'static str,
}

impl Protocol {
    /// Returns the error for a handler whose event is newer than the oldest supported protocol.
    pub(crate) fn error_if_newer(&self, rpc: &Rpc) -> Option<(String, String)> {
        let since = rpc.event_since.filter(|since| version(since) > version(self.release))?;
        let minor = minor(since);
        let written = self.written.to_token_stream();
        let fact = format!(
            "`{}` handles an event that was added in NRI {since}, newer than `protocol = {written}`",
            rpc.name
        );
        Some((
            fact,
            format!(
                "remove the handler, or write `protocol = \"{minor}\"` if older runtimes need no \
                     support"
            ),
        ))
    }
}

/// Reads a release; reports one that is unknown.
pub(crate) fn read(written: &LitStr, diagnostics: &mut Diagnostics) -> Option<Protocol> {
    let Some(release) = resolve(&written.value()) else {
        let named = |release: Option<&&str>| minor(release.copied().unwrap_or_default());
        let (oldest, newest) = (named(RELEASES.first()), named(RELEASES.last()));
        let fact = format!("{} is not a known release of NRI", written.to_token_stream());
        diagnostics.error(written, fact, format!("name one from \"{oldest}\" to \"{newest}\""));
        return None;
    };
    Some(Protocol { written: written.clone(), release })
}

/// The numbers of a release: major, minor, patch.
type Version = (u32, u32, u32);

/// Returns the numbers of a release. Anything after a hyphen is ignored: the untagged
/// v0.9.1-0.20250219030224-e597e7849f24 counts as 0.9.1, after 0.9.0 and before 0.10.0.
fn version(release: &str) -> Version {
    let mut numbers = release
        .trim_start_matches('v')
        .split('-')
        .next()
        .unwrap_or_default()
        .split('.')
        .map(|number| number.parse().unwrap_or_default());
    let mut next = || numbers.next().unwrap_or_default();
    (next(), next(), next())
}

/// Returns the release named by `0.11` (the oldest 0.11), `0.11.0` or `v0.11.0`.
fn resolve(asked: &str) -> Option<&'static str> {
    let asked = asked.strip_prefix('v').unwrap_or(asked);
    let exact = asked.split('.').count() == 3;
    RELEASES.iter().copied().find(|release| {
        let release = release.trim_start_matches('v');
        release == asked
            || (!exact && release.rsplit_once('.').is_some_and(|(minor, _)| minor == asked))
    })
}

/// Returns `0.10` for `v0.10.0`.
fn minor(release: &str) -> String {
    let (major, minor, _) = version(release);
    format!("{major}.{minor}")
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
