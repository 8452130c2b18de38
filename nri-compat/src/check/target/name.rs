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

/// The maximum length of a suffix in bytes.
const MAX_SUFFIX: usize = 128;

/// The number of numbers in a version: major, minor and patch.
const MAX_NUMBERS: usize = 3;

/// The characters between the words of a suffix, as SemVer, Debian and RPM use them.
const SEPARATORS: [char; 5] = ['-', '+', '~', '.', '_'];

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
    /// (`containerd://2.4.2+unknown`), the output of `containerd --version` and `crio --version`, or
    /// the name of a package as `rpm -q` and `apk info` print it (`cri-o-1.33.4-3.el9.x86_64`), or
    /// of its file (`containerd.io_1.7.27-1_amd64.deb`). It may be in quotes, as in JSON.
    ///
    /// Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_around = |c: char| c.is_whitespace() || c == '"' || c == '\'';
        let text = text.get(..MAX_NAME).unwrap_or(text).trim_matches(is_around);
        let (name, version) = if let Some(node) = text.split_once("://") {
            node
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
    pub fn is_prerelease(&self) -> bool {
        let mut words = self.suffix.split(SEPARATORS);
        words.any(|word| {
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
    pub(super) fn patch(&self) -> Option<Version> {
        numbers(&self.version)
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

/// Splits the name of a package from its version.
fn packaged(text: &str) -> Option<(&str, &str)> {
    RUNTIMES.iter().find_map(|(spelling, name)| {
        let version = text.strip_prefix(spelling)?.strip_prefix(['-', '_'])?;
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
    let word = without_epoch(word);
    let word = word.strip_prefix('v').unwrap_or(word);
    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
}

/// Parses a version that consists of numbers alone.
pub(super) fn numbers(version: &str) -> Option<Version> {
    let plain = |version: &Version| version.pre.is_empty() && version.build.is_empty();
    Version::parse(version).ok().filter(plain)
}

/// Splits the numbers of a version from its suffix. A version of another form is not split.
fn split(version: &str) -> (&str, &str) {
    let bare = version.strip_prefix('v').unwrap_or(version);
    if !bare.starts_with(|c: char| c.is_ascii_digit()) {
        return (version, "");
    }
    let (mut end, mut parts) = (0, 0);
    while let Some(digits) = number(&bare[end..], parts).filter(|_| parts < MAX_NUMBERS) {
        end += digits;
        parts += 1;
    }
    let (numbers, suffix) = bare.split_at(end);
    let may_follow = parts == MAX_NUMBERS || parts > 1 && !suffix.starts_with('.');
    if suffix.is_empty() || may_follow && is_suffix(suffix) {
        (numbers, suffix)
    } else {
        (version, "")
    }
}

/// Returns the length of the number at the beginning of a text, with the dot before it unless it is
/// the first.
fn number(text: &str, before: usize) -> Option<usize> {
    let (dot, text) = match text.strip_prefix('.') {
        Some(text) if before > 0 => (1, text),
        None if before == 0 => (0, text),
        Some(_) | None => return None,
    };
    let end = text.find(|c: char| !c.is_ascii_digit());
    let digits = end.unwrap_or(text.len());
    (digits > 0).then_some(dot + digits)
}

/// Returns true if a text has the form of a suffix: words of letters and digits, each after a
/// separator. A dot begins a suffix only before a letter, because a number after it would belong
/// to the version.
fn is_suffix(text: &str) -> bool {
    let mut words = text.split(SEPARATORS);
    let begins = words.next() == Some("")
        && !text
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
    begins && text.len() <= MAX_SUFFIX && words.all(is_word)
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
            ("\"containerd://2.2.1\"\n", "containerd@2.2.1", ""),
            (
                "containerd-1:2.1.4-1.el9.x86_64",
                "containerd@2.1.4",
                "-1.el9.x86_64",
            ),
            ("containerd 1:2.1.4-1", "containerd@2.1.4", "-1"),
            (
                "containerd.io_1.7.27-1_amd64.deb",
                "containerd@1.7.27",
                "-1_amd64.deb",
            ),
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
            ("containerd@1.7.24~ds1", "containerd@1.7.24", "~ds1"),
            (
                "containerd@1.6.20~ds1-1+deb12u1~bpo11+1",
                "containerd@1.6.20",
                "~ds1-1+deb12u1~bpo11+1",
            ),
            (
                "containerd@2.2.1-0ubuntu1~24.04.1",
                "containerd@2.2.1",
                "-0ubuntu1~24.04.1",
            ),
            (
                "containerd@2.1.4-1.amzn2023.0.1",
                "containerd@2.1.4",
                "-1.amzn2023.0.1",
            ),
            (
                "containerd://2.1.5+bottlerocket",
                "containerd@2.1.5",
                "+bottlerocket",
            ),
            ("containerd://1.7.24-gke.1", "containerd@1.7.24", "-gke.1"),
            ("containerd@2.0.5-2.azl3", "containerd@2.0.5", "-2.azl3"),
            ("containerd@2.1.4-1.fc43", "containerd@2.1.4", "-1.fc43"),
            ("containerd@2.2.0-r1", "containerd@2.2.0", "-r1"),
            ("containerd@1.7.27_2", "containerd@1.7.27", "_2"),
            (
                "containerd://v2.1.0-123-g0123abc.m",
                "containerd@2.1.0",
                "-123-g0123abc.m",
            ),
            ("containerd://2.1.0.m", "containerd@2.1.0", ".m"),
            (
                "cri-o-1.33.4-3.rhaos4.20.el9.x86_64",
                "cri-o@1.33.4",
                "-3.rhaos4.20.el9.x86_64",
            ),
            (
                "containerd.io-1.7.27-3.1.el9.aarch64",
                "containerd@1.7.27",
                "-3.1.el9.aarch64",
            ),
            ("containerd-2.2.0-r1", "containerd@2.2.0", "-r1"),
            ("cri-o://1.36.0-dev", "cri-o@1.36.0", "-dev"),
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
            "containerd-shim-runc-v2-2.2.0",
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
            ("containerd@2.7.", "containerd@2.7."),
            ("containerd@2.4.-1", "containerd@2.4.-1"),
            ("containerd@2.4.2-", "containerd@2.4.2-"),
            ("containerd@2.4.2--k3s1", "containerd@2.4.2--k3s1"),
            ("containerd@2.4.2-k3s1.", "containerd@2.4.2-k3s1."),
            ("containerd@2.4.2.1", "containerd@2.4.2.1"),
            ("containerd@2.4.2-é", "containerd@2.4.2-é"),
            ("containerd@2.4.2k3s1", "containerd@2.4.2k3s1"),
            ("containerd@2-k3s1", "containerd@2-k3s1"),
            ("containerd@v2..4", "containerd@v2..4"),
            ("containerd@vv2.4", "containerd@vv2.4"),
            ("containerd@vlatest", "containerd@vlatest"),
            ("containerd@.2.4", "containerd@.2.4"),
            ("containerd@２.4.2", "containerd@２.4.2"),
            ("containerd@2.٤.2", "containerd@2.٤.2"),
            ("containerd@2.4.2 k3s1", "containerd@2.4.2 k3s1"),
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
            "containerd@2.3.0-0.rc1.el9",
            "containerd@2.3.0+dev",
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
