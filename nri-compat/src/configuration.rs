//! The settings of runtimes for NRI: names, types and defaults by release, from
//! `configuration.toml` of `nri-protos`.

use nri_schema::version::without_v;
use semver::Version;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Value;

use crate::error::{Error, ErrorKind};

/// The settings of every runtime.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfigurationTable {
    #[serde(rename = "runtime")]
    runtimes: Vec<RuntimeSettings>,
}

/// The settings of a runtime.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuntimeSettings {
    /// Its id in the tables: `containerd` or `cri-o`.
    pub(crate) id: String,
    /// The path of the table with the settings.
    pub(crate) table: Vec<String>,
    settings: Vec<KnownSetting>,
}

/// A setting that some releases of a runtime read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownSetting {
    /// Its path below the table: `default_validator.enable`.
    pub(crate) key: String,
    #[serde(rename = "type")]
    pub(crate) value_type: ValueType,
    pub(crate) means: Option<Meaning>,
    #[serde(deserialize_with = "version")]
    since: Version,
    /// The first release of NRI that has it: `v0.11.0`.
    #[serde(default, deserialize_with = "nri_version")]
    since_nri: Option<Version>,
    /// The last series with it: `1.26`.
    until: Option<String>,
    #[serde(default)]
    defaults: Vec<DefaultSince>,
}

/// The default of a setting since a release.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DefaultSince {
    #[serde(deserialize_with = "version")]
    since: Version,
    value: Value,
}

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ValueType {
    Boolean,
    String,
    /// A duration as in Go: `2s`.
    Duration,
    /// A list of strings.
    Names,
}

/// The meaning of a setting, which has another name in each runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Meaning {
    /// NRI is off if it is true.
    Off,
    /// NRI is on if it is true.
    On,
    Socket,
    PluginDir,
    ConfigDir,
    RegistrationTimeout,
    RequestTimeout,
    /// Plugins may not connect on their own if it is true.
    NoConnections,
    /// The default validator is on if it is true.
    Validator,
    RequiredPlugins,
}

/// The release of a runtime that reads a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadingRelease {
    /// The release.
    pub(crate) version: Version,
    /// The release of NRI that it links, if known.
    pub(crate) nri: Option<Version>,
}

/// Why a release does not read a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnreadReason<'t> {
    /// It came with this release of the runtime.
    Since(&'t Version),
    /// It came with this release of NRI.
    SinceNri(&'t Version),
    /// This was the last series with it.
    Until(&'t str),
}

impl ConfigurationTable {
    /// Reads the table that is built in.
    pub(crate) fn embedded() -> Result<Self, Error> {
        Self::parse(nri_protos::CONFIGURATION_TOML, "configuration.toml")
    }

    /// Reads a table from the text of the file with this name.
    pub(crate) fn parse(text: &str, name: &str) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| {
            let message = format!("{name}: {}", error.message());
            Error::new(ErrorKind::Schema, message)
        })
    }

    /// Returns the settings of all runtimes.
    pub(crate) fn runtimes(&self) -> &[RuntimeSettings] {
        &self.runtimes
    }

    /// Returns the settings of a runtime.
    pub(crate) fn runtime(&self, id: &str) -> Option<&RuntimeSettings> {
        self.runtimes.iter().find(|runtime| runtime.id == id)
    }
}

impl RuntimeSettings {
    /// Returns the setting with this path below the table. Runtimes do not tell apart upper and
    /// lower case.
    pub(crate) fn setting(&self, key: &str) -> Option<&KnownSetting> {
        self.settings.iter().find(|setting| setting.key.eq_ignore_ascii_case(key))
    }

    /// Returns the setting with this meaning.
    pub(crate) fn meaning(&self, meaning: Meaning) -> Option<&KnownSetting> {
        self.settings.iter().find(|setting| setting.means == Some(meaning))
    }

    /// Returns the paths of all settings.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.settings.iter().map(|setting| setting.key.as_str())
    }
}

impl KnownSetting {
    /// Returns the default in a release; of an unknown release, if it never changed.
    pub(crate) fn default_in(&self, release: Option<&Version>) -> Option<&Value> {
        let default = match (release, self.defaults.as_slice()) {
            (Some(release), all) => all.iter().rfind(|default| default.since <= *release),
            (None, [always]) => Some(always),
            (None, _) => None,
        };
        default.map(|default| &default.value)
    }

    /// Returns why a release does not read it; `None` if it does.
    pub(crate) fn unread_by(&self, release: &ReadingRelease) -> Option<UnreadReason<'_>> {
        if release.version < self.since {
            return Some(UnreadReason::Since(&self.since));
        }
        let is_later = |series: &&String| {
            let series = Version::parse(&format!("{series}.0"));
            series.is_ok_and(|last| {
                (release.version.major, release.version.minor) > (last.major, last.minor)
            })
        };
        if let Some(last) = self.until.as_ref().filter(is_later) {
            return Some(UnreadReason::Until(last));
        }
        let since = self.since_nri.as_ref()?;
        release.nri.as_ref().filter(|nri| *nri < since).map(|_| UnreadReason::SinceNri(since))
    }
}

fn version<'de, D: Deserializer<'de>>(text: D) -> Result<Version, D::Error> {
    let text = String::deserialize(text)?;
    Version::parse(without_v(&text)).map_err(D::Error::custom)
}

fn nri_version<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Version>, D::Error> {
    version(text).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(version: &str, nri: &str) -> ReadingRelease {
        let parse = |text: &str| Version::parse(text).expect("a version");
        ReadingRelease { version: parse(version), nri: Some(parse(nri)) }
    }

    #[test]
    fn settings_have_the_releases_that_read_them() {
        let table = ConfigurationTable::embedded().expect("the table is built in");
        for (runtime, key, at, unread) in [
            ("containerd", "default_validator.enable", release("2.1.4", "0.8.0"), "Since(2.2.0)"),
            ("containerd", "Disable", release("1.7.0", "0.3.0"), ""),
            (
                "containerd",
                "default_validator.reject_sysctl_adjustment",
                release("2.2.0", "0.10.0"),
                "SinceNri(0.11.0)",
            ),
            ("cri-o", "nri_config_file", release("1.27.0", "0.3.0"), "Until(\"1.26\")"),
            ("cri-o", "nri_config_file", release("1.26.9", "0.2.0"), ""),
        ] {
            let setting = table.runtime(runtime).and_then(|one| one.setting(key)).expect(key);
            let shown = match setting.unread_by(&at) {
                None => String::new(),
                Some(UnreadReason::Since(since)) => format!("Since({since})"),
                Some(UnreadReason::SinceNri(since)) => format!("SinceNri({since})"),
                Some(UnreadReason::Until(last)) => format!("Until({last:?})"),
            };
            assert_eq!(shown, unread, "{key}");
        }
    }

    #[test]
    fn defaults_depend_on_the_release() {
        let table = ConfigurationTable::embedded().expect("the table is built in");
        let runtime = table.runtime("containerd").expect("it has containerd");
        let off = runtime.meaning(Meaning::Off).expect("it has the setting");
        let at = |version: &str| off.default_in(Some(&Version::parse(version).expect("a version")));
        assert_eq!(at("1.7.30"), Some(&Value::Boolean(true)));
        assert_eq!(at("2.0.0"), Some(&Value::Boolean(false)));
        assert_eq!(at("1.6.0"), None);
        assert_eq!(off.default_in(None), None);
        let timeout = runtime.meaning(Meaning::RequestTimeout).expect("it has the setting");
        assert_eq!(timeout.default_in(None), Some(&Value::String("2s".to_owned())));
    }
}
