//! Release names as printed by machines, reduced to the release that something was built from.

use semver::Version;

/// Spellings of runtimes, and their names in the tables.
const RUNTIMES: [(&str, &str); 5] = [
    ("containerd", "containerd"),
    ("containerd.io", "containerd"),
    ("cri-o", "cri-o"),
    ("crio", "cri-o"),
    ("nri", "nri"),
];

/// The maximum length of a name in bytes: `crio --version` prints some 20 lines.
const MAX_NAME: usize = 4096;

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
    /// (`containerd://2.4.2+unknown`), or the output of `containerd --version` and `crio
    /// --version`.
    ///
    /// Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.get(..MAX_NAME).unwrap_or(text).trim();
        let (name, version) = if let Some(node) = text.split_once("://") {
            node
        } else if let Some(spec) = text.split_once('@') {
            spec
        } else {
            printed(text)?
        };
        let name = canonical(name).unwrap_or(name);
        let (version, suffix) = split(version.trim());
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
    pub fn is_prerelease(&self) -> bool {
        let suffix = self.suffix.trim_start_matches(['-', '~', '.']);
        let word = suffix.split(|c: char| !c.is_ascii_alphabetic()).next();
        matches!(word, Some("alpha" | "beta" | "rc" | "dev" | "pre"))
    }

    /// Returns the version, with patch number 0 if it has none; `None` if it does not consist of
    /// numbers.
    pub(super) fn series(&self) -> Option<Version> {
        let version = Version::parse(&format!("{}.0", self.version));
        self.patch().or(version.ok())
    }

    /// Returns the version if it has a patch number.
    pub(super) fn patch(&self) -> Option<Version> {
        Version::parse(&self.version).ok()
    }
}

fn canonical(name: &str) -> Option<&'static str> {
    let known = RUNTIMES
        .iter()
        .find(|(spelling, _)| name.eq_ignore_ascii_case(spelling));
    known.map(|(_, name)| *name)
}

/// Finds name and version in the output of `containerd --version` or `crio --version`.
fn printed(text: &str) -> Option<(&str, &str)> {
    let mut words = text.lines().next()?.split_whitespace();
    let name = words.next().filter(|name| canonical(name).is_some())?;
    let version = words.find(|word| starts_like_version(word))?;
    Some((name, version))
}

fn starts_like_version(word: &str) -> bool {
    let word = word.strip_prefix('v').unwrap_or(word);
    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
}

/// Splits the numbers of a version from its suffix. A version of another form is not split.
fn split(version: &str) -> (&str, &str) {
    let bare = version.strip_prefix('v').unwrap_or(version);
    let mut end = 0;
    for part in 0..3 {
        let rest = &bare[end..];
        let rest = if part == 0 {
            Some(rest)
        } else {
            rest.strip_prefix('.')
        };
        let digits = rest.map_or(0, |rest| {
            let other = rest.find(|c: char| !c.is_ascii_digit());
            other.unwrap_or(rest.len())
        });
        if digits == 0 {
            break;
        }
        end += digits + usize::from(part > 0);
    }
    let (numbers, suffix) = bare.split_at(end);
    if end > 0 && (suffix.is_empty() || suffix.starts_with(['-', '+', '~', '.', '_'])) {
        (numbers, suffix)
    } else {
        (bare, "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(text: &str) -> (String, String) {
        let name = ReleaseName::parse(text).expect(text);
        (name.spec(), name.suffix)
    }

    #[test]
    fn names_from_machines() {
        for (text, spec, suffix) in [
            ("containerd@2.2.1", "containerd@2.2.1", ""),
            ("containerd@v2.2", "containerd@2.2", ""),
            ("containerd://2.4.2+unknown", "containerd@2.4.2", "+unknown"),
            ("containerd://2.2.1-k3s1", "containerd@2.2.1", "-k3s1"),
            ("containerd@2.1.5-k3s1.32", "containerd@2.1.5", "-k3s1.32"),
            ("containerd://1.7.27+azure", "containerd@1.7.27", "+azure"),
            (
                "containerd@1.7.24-0ubuntu1~24.04.2",
                "containerd@1.7.24",
                "-0ubuntu1~24.04.2",
            ),
            ("containerd.io@1.7.27-1", "containerd@1.7.27", "-1"),
            ("cri-o://1.33.4", "cri-o@1.33.4", ""),
            (
                "cri-o@1.33.4-3.rhaos4.20.git1234567.el9",
                "cri-o@1.33.4",
                "-3.rhaos4.20.git1234567.el9",
            ),
            ("crio@1.30.0~1", "cri-o@1.30.0", "~1"),
            (
                "crio version 1.33.4\nVersion:        1.33.4\nGitCommit: abc",
                "cri-o@1.33.4",
                "",
            ),
            (
                "containerd github.com/containerd/containerd/v2 v2.4.2 0123abc",
                "containerd@2.4.2",
                "",
            ),
            (
                "containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u1",
                "containerd@1.6.20",
                "~ds1",
            ),
            (
                "containerd containerd.io v1.7.27 05044ec\n",
                "containerd@1.7.27",
                "",
            ),
            (
                "containerd github.com/k3s-io/containerd v2.1.5-k3s1 0123abc",
                "containerd@2.1.5",
                "-k3s1",
            ),
        ] {
            assert_eq!(
                reduced(text),
                (spec.to_owned(), suffix.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn other_text_is_no_name() {
        for text in [
            "",
            "2.7",
            "containerd",
            "runc version 1.1.5",
            "docker 27.1.1",
            "v2.4.2",
        ] {
            assert_eq!(ReleaseName::parse(text), None, "{text}");
        }
    }

    #[test]
    fn versions_of_other_forms_stay_whole() {
        for (text, spec) in [
            ("nri@latest", "nri@latest"),
            ("containerd@2x", "containerd@2x"),
            ("containerd@", "containerd@"),
            ("podman@1.0", "podman@1.0"),
            ("containerd@2.7.", "containerd@2.7"),
        ] {
            assert_eq!(reduced(text).0, spec, "{text}");
        }
    }

    #[test]
    fn prereleases() {
        for text in [
            "containerd@2.3.0-rc.1",
            "containerd://2.3.0~rc1",
            "cri-o@1.33.0-dev",
        ] {
            assert!(
                ReleaseName::parse(text).expect(text).is_prerelease(),
                "{text}"
            );
        }
        assert!(
            !ReleaseName::parse("containerd@2.3.0-rancher1")
                .expect("a name")
                .is_prerelease()
        );
    }
}
