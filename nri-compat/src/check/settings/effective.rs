//! The settings that apply after all files were read.

use std::collections::BTreeMap;

use semver::Version;
use toml::Value;

use super::RuntimeConfiguration;
use super::document::Setting;
use super::placement::{PathReader, Placement, is};
use crate::configuration::{KnownSetting, Meaning};
use crate::place::Place;

/// The list of plugins that containerd does not start.
const DISABLED_PLUGINS: &str = "disabled_plugins";

/// The first version of containerd's format that no release with NRI off by default reads.
const FORMAT_OF_2: i64 = 3;

/// The settings for NRI that apply.
#[derive(Debug)]
pub(super) struct Effective<'c> {
    pub(super) configuration: &'c RuntimeConfiguration<'c>,
    /// The last value of each, by its path below the table of NRI.
    settings: BTreeMap<&'c str, &'c Setting>,
    /// The setting that keeps containerd from starting NRI's plugin.
    disabled: Option<&'c Setting>,
}

/// On or off, and why.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// `None` if that depends on the release, which is unknown.
    pub(super) is_on: Option<bool>,
    pub(super) why: Why,
}

/// The reason why NRI is on or off.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// A setting, with its path, its value and its place.
    Setting { name: String, value: String, place: Place },
    /// The default of the release, in words, and the file that does not change it.
    Default { release: String, place: Place },
}

impl<'c> Effective<'c> {
    pub(super) fn of(reader: &PathReader<'c>) -> Self {
        let configuration = reader.configuration;
        let mut spellings: BTreeMap<(&str, &[String]), &Setting> = BTreeMap::new();
        let mut disabled = None;
        for file in configuration.files {
            for setting in &file.settings {
                if let Some(Placement::Nri(key)) = reader.placement(setting, file)
                    && let Some(known) = configuration.known.setting(&key)
                {
                    let spelling = if reader.has_plugins() { &setting.path[..] } else { &[] };
                    spellings.insert((known.key.as_str(), spelling), setting);
                }
                if let [list] = setting.path.as_slice()
                    && is(list, DISABLED_PLUGINS)
                    && names(setting).any(|name| reader.table().get(1).is_some_and(|id| id == name))
                {
                    disabled = Some(setting);
                }
            }
        }
        // containerd first joins all files, in which the same name in upper and lower case is two
        // settings, and then reads them in the order of their names. CRI-O reads file by file.
        let settings = spellings.into_iter().map(|((key, _), setting)| (key, setting));
        Self { configuration, settings: settings.collect(), disabled }
    }

    /// Returns the setting with this meaning, if a file has it.
    pub(super) fn setting(&self, meaning: Meaning) -> Option<(&'c KnownSetting, &'c Setting)> {
        let known = self.configuration.known.meaning(meaning)?;
        Some((known, *self.settings.get(known.key.as_str())?))
    }

    /// Returns the settings whose paths start with these words.
    pub(super) fn below(&self, table: &str) -> impl Iterator<Item = &'c Setting> {
        self.settings
            .iter()
            .filter(move |(key, _)| key.starts_with(table))
            .map(|(_, setting)| *setting)
    }

    /// Returns true if the setting with this meaning is set to true.
    pub(super) fn is_true(&self, meaning: Meaning) -> bool {
        let setting = self.setting(meaning);
        setting.is_some_and(|(_, setting)| setting.value == Value::Boolean(true))
    }

    /// Returns the state of NRI: on, off or unknown.
    pub(super) fn state(&self) -> State {
        if let Some(setting) = self.disabled {
            return State { is_on: Some(false), why: why(setting) };
        }
        for (meaning, on) in [(Meaning::Off, false), (Meaning::On, true)] {
            if let Some((_, setting)) = self.setting(meaning)
                && let Some(value) = setting.value.as_bool()
            {
                return State { is_on: Some(value == on), why: why(setting) };
            }
        }
        self.default_state()
    }

    fn default_state(&self) -> State {
        let RuntimeConfiguration { title, known, main, files, release } = *self.configuration;
        let has_format_of_2 = || {
            let mut versions = files.iter().filter_map(|file| file.version);
            versions.any(|version| version >= FORMAT_OF_2)
        };
        let (version, shown) = match release {
            Some(release) => {
                (Some(release.version.clone()), format!("{title} {}", release.version))
            }
            None if has_format_of_2() => (Some(Version::new(2, 0, 0)), format!("{title} 2")),
            None => (None, title.to_owned()),
        };
        let default =
            |meaning: Meaning| known.meaning(meaning)?.default_in(version.as_ref())?.as_bool();
        let is_on = default(Meaning::Off).map(|off| !off).or_else(|| default(Meaning::On));
        State { is_on, why: Why::Default { release: shown, place: main.clone() } }
    }
}

impl State {
    /// Returns `NRI is off`, with `by default` if no setting says so; `None` if it is unknown.
    pub(super) fn phrase(&self) -> Option<String> {
        let word = if self.is_on? { "NRI is on" } else { "NRI is off" };
        Some(match self.why {
            Why::Setting { .. } => word.to_owned(),
            Why::Default { .. } => format!("{word} by default"),
        })
    }
}

fn why(setting: &Setting) -> Why {
    let value = setting.value.as_bool().map(|value| value.to_string());
    Why::Setting {
        name: setting.name(),
        value: value.unwrap_or_default(),
        place: setting.place.clone(),
    }
}

/// Returns the names in a list.
pub(super) fn names(setting: &Setting) -> impl Iterator<Item = &str> {
    setting.value.as_array().into_iter().flatten().filter_map(Value::as_str)
}
