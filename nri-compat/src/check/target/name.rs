//! Release names as printed by machines, reduced to the release that something was built from.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use nri_schema::version::without_v;
use regex::Regex;
use semver::Version;

use crate::pattern::regex;

/// Spellings of runtimes, and their names in the tables.
const RUNTIMES: [(&str, &str); 7] = [
    ("containerd", "containerd"),
    ("containerd.io", "containerd"),
    ("containerd-stable", "containerd"),
    ("moby-containerd", "containerd"),
    ("cri-o", "cri-o"),
    ("crio", "cri-o"),
    ("nri", "nri"),
];

/// The maximum length of a name in bytes: `crio --version` prints some 20 lines.
const MAX_NAME: usize = 4096;

/// The maximum length of a suffix in bytes.
const MAX_SUFFIX: usize = 128;

/// The characters between the words of a suffix, as SemVer, Debian and RPM use them.
const SEPARATORS: [char; 5] = ['-', '+', '~', '.', '_'];

/// The numbers of a version, and its suffix: words of letters and digits, each after a separator. A
/// suffix begins after at least two numbers, and with a dot only after three and before a letter.
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    let numbers = "[0-9]+(?:[.][0-9]+){0,2}";
    let first_word = "(?:[-+~_][0-9A-Za-z]+|[.][A-Za-z][0-9A-Za-z]*)";
    let pattern = format!("^v?({numbers})({first_word}(?:[-+~._][0-9A-Za-z]+)*)?$");
    regex(&pattern)
});

/// A named release: `containerd@2.3.4`, or the output of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseName {
    /// `containerd`, `cri-o` or `nri`; another name is kept unchanged.
    pub name: String,
    /// The version, without `v` and without the suffix.
    pub version: String,
    /// The suffix of the version from a distribution or build, such as `+azure`; empty if there is
    /// none.
    pub suffix: String,
}

impl ReleaseName {
    /// Parses `NAME@VERSION`, the container runtime version of a Kubernetes node
    /// (`containerd://2.4.2+unknown`), the output of `containerd --version` and `crio --version`,
    /// or the name of a package as `rpm -q` and `apk info` print it (`cri-o-1.33.4-3.el9.x86_64`),
    /// or of its file (`containerd.io_1.7.27-1_amd64.deb`), or the runtime in the log of a plugin
    /// (`containerd/v1.7.16`). It may be in quotes, as in JSON, and after the name of its field in
    /// a node's status.
    ///
    /// Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_around =
            |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '{' | '}' | '\u{feff}');
        let text = text.get(..MAX_NAME).unwrap_or(text).trim_matches(is_around);
        let (name, version) = if let Some(node) = text.split_once("://") {
            (after_field(node.0), node.1)
        } else if let Some(spec) = text.split_once('@') {
            spec
        } else {
            packaged(text).or_else(|| printed(text))?
        };
        let name = canonical(name).unwrap_or(name);
        let (version, suffix) = split(without_epoch(version.trim()));
        Some(ReleaseName {
            name: name.to_owned(),
            version: version.to_owned(),
            suffix: suffix.to_owned(),
        })
    }

    /// Returns the name as in the tables: `containerd@2.4.2`.
    pub fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// Returns true if the suffix is that of a pre-release, which may differ from the release after
    /// it.
    pub(crate) fn is_prerelease(&self) -> bool {
        self.suffix.split(SEPARATORS).any(|word| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            ["alpha", "beta", "rc", "dev", "pre"].contains(&word)
        })
    }

    /// Returns the version, with patch number 0 if it has none; `None` if it does not consist of
    /// numbers.
    pub(super) fn series(&self) -> Option<Version> {
        let version = || numbers(&format!("{}.0", self.version));
        self.patch().or_else(version)
    }

    /// Returns the version if it has a patch number.
    pub(crate) fn patch(&self) -> Option<Version> {
        numbers(&self.version)
    }
}

fn canonical(name: &str) -> Option<&'static str> {
    let known = RUNTIMES.iter().find(|(spelling, _)| name.eq_ignore_ascii_case(spelling));
    known.map(|(_, canonical)| *canonical)
}

/// Finds name and version in the output of `containerd --version` or `crio --version`.
fn printed(text: &str) -> Option<(&str, &str)> {
    let mut words = text.lines().next()?.split_whitespace();
    let name = words.next().filter(|name| canonical(name).is_some())?;
    let version = words.find(|word| starts_like_version(word))?;
    Some((name, version))
}

/// Returns the name of a runtime without the field of a node's status before it.
fn after_field(name: &str) -> &str {
    let field = name.rsplit_once("containerRuntimeVersion");
    field.map_or(name, |(_, name)| name.trim_matches([':', '"', ' ']))
}

/// Splits the name of a package, which may have a category or a series, from its version; or the
/// name by which a runtime introduces itself to plugins, `containerd/v1.7.16`.
fn packaged(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix("app-containers/").unwrap_or(text);
    RUNTIMES.iter().find_map(|(spelling, name)| {
        let rest = text.strip_prefix(spelling)?;
        let series = |c: char| c.is_ascii_digit() || c == '.';
        let version = rest.trim_start_matches(series).strip_prefix(['-', '_', '/'])?;
        starts_like_version(version).then_some((*name, version))
    })
}

/// Returns a version without the epoch, by which RPM and Debian order packages: `1:2.1.4`.
fn without_epoch(version: &str) -> &str {
    match version.split_once(':') {
        Some((epoch, rest)) if epoch.parse::<u32>().is_ok() => rest,
        Some(_) | None => version,
    }
}

fn starts_like_version(word: &str) -> bool {
    let word = without_v(without_epoch(word));
    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
}

/// Parses a version that consists of numbers alone.
pub(super) fn numbers(version: &str) -> Option<Version> {
    let plain = |parsed: &Version| parsed.pre.is_empty() && parsed.build.is_empty();
    Version::parse(version).ok().filter(plain)
}

/// Splits the numbers of a version from its suffix. A version of another form is not split.
fn split(version: &str) -> (&str, &str) {
    let Some(found) = VERSION.captures(version) else {
        return (version, "");
    };
    let part = |group| found.get(group).map_or("", |part| part.as_str());
    let (numbers, suffix) = (part(1), part(2));
    let may_follow = match numbers.matches('.').count() {
        0 => false,
        1 => !suffix.starts_with('.'),
        _ => true,
    };
    if suffix.is_empty() || may_follow && suffix.len() <= MAX_SUFFIX {
        (numbers, suffix)
    } else {
        (version, "")
    }
}
