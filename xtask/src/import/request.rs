//! The arguments of an import, checked.

use std::path::{Path, PathBuf};

use semver::Version;
use toml::de::DeValue;

use nri_schema::history::History;
use nri_schema::version::without_v;
use nri_schema::{Error, ErrorKind, Problem};

/// A release to import: the path of its proto, its version and its date.
#[derive(Clone, Debug)]
pub struct Request {
    path: PathBuf,
    version: Version,
    release: String,
    date: String,
}

impl Request {
    /// Checks `version` (`v0.12.6`, or a Go pseudo-version for a commit that was never tagged) and
    /// `date` (`2026-12-01`).
    ///
    /// # Errors
    ///
    /// Returns an error if either is malformed; both are reported at once.
    pub fn new(path: impl AsRef<Path>, version: &str, date: &str) -> Result<Request, Error> {
        let mut problems = Vec::new();
        let parsed = Version::parse(without_v(version));
        if parsed.is_err() {
            let fact = format!("`{version}` is not a version");
            problems.push(
                Problem::new(ErrorKind::Version, fact).with_help("write it as tagged: v0.12.6"),
            );
        }
        if !is_day(date) {
            let fact = format!("`{date}` is not a date");
            problems.push(
                Problem::new(ErrorKind::Version, fact)
                    .with_help("write the day of the tag: 2026-12-01"),
            );
        }
        Error::unless_empty(problems)?;
        let parsed = parsed.unwrap_or(Version::new(0, 0, 0));
        Ok(Request {
            path: path.as_ref().to_path_buf(),
            release: format!("v{parsed}"),
            version: parsed,
            date: date.to_owned(),
        })
    }

    /// Returns the release, with a leading `v`.
    pub(super) fn release(&self) -> &str {
        &self.release
    }

    /// Returns the name of the proto in errors: names in descriptors are relative, so it is not the
    /// whole path.
    pub(super) fn file_name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    pub(super) fn text(&self) -> Result<String, Error> {
        std::fs::read_to_string(&self.path).map_err(|error| {
            Problem::new(ErrorKind::Io, "cannot read the proto")
                .in_file(self.path.display().to_string())
                .caused_by(error)
                .into()
        })
    }

    /// Rejects a known release, including one before the protocol.
    pub(super) fn check_against(&self, history: &History) -> Result<(), Error> {
        let releases = history.releases().iter().map(|release| (&release.name, &release.date));
        let one_shot = history.one_shot().iter().map(|old| (&old.name, &old.date));
        let mut known = releases.chain(one_shot);
        match known.find(|(name, _)| **name == self.release) {
            Some((name, date)) => {
                let fact = format!("release {name} of {date} is already known");
                Err(Problem::new(ErrorKind::Version, fact).into())
            }
            None => Ok(()),
        }
    }

    /// Returns the entry for `versions.toml`.
    pub(super) fn entry(&self, revision: &str) -> String {
        let untagged = if self.is_untagged() { "untagged = true\n" } else { "" };
        format!(
            "[[release]]\nversion = \"{}\"\nrevision = \"{revision}\"\ndate = {}\n{untagged}",
            self.release, self.date
        )
    }

    /// Returns true if this is a Go pseudo-version: its last parts are a time of 14 digits and a
    /// commit of 12 letters.
    fn is_untagged(&self) -> bool {
        let mut parts = self.version.pre.as_str().rsplit(['-', '.']);
        let commit = parts.next().unwrap_or_default();
        let time = parts.next().unwrap_or_default();
        let hexadecimal = commit.len() == 12 && commit.chars().all(|c| c.is_ascii_hexdigit());
        hexadecimal && time.len() == 14 && time.chars().all(|c| c.is_ascii_digit())
    }
}

/// Returns true if `date` is a calendar day, without a time.
fn is_day(date: &str) -> bool {
    DeValue::parse(date).is_ok_and(|value| {
        let day = value.get_ref().as_datetime();
        day.is_some_and(|day| day.time.is_none() && day.to_string() == date)
    })
}
