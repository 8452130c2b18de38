//! The identity of a plugin: its index and its name.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The maximum length of a name in bytes, as for the names of most objects in Kubernetes. Names are
/// labels of metrics, and part of many messages.
const MAX_NAME_BYTES: usize = 253;

/// The maximum number of characters of an invalid name that an error shows.
const MAX_SHOWN_CHARACTERS: usize = 64;

/// The index and the name of a plugin, such as `10-logger`.
///
/// ```
/// use nri::PluginId;
///
/// let id: PluginId = "10-logger".parse()?;
/// assert_eq!((&*id.index, &*id.name), ("10", "logger"));
/// assert_eq!(id, PluginId::new("10", "logger")?);
/// assert!(PluginId::new("logger", "10").is_err());
/// # Ok::<(), nri::InvalidPluginId>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct PluginId {
    /// Two digits. Plugins are called in ascending order.
    pub index: String,
    /// The name, without the index.
    pub name: String,
}

impl PluginId {
    /// Checks an index and a name by the rules of [NRI
    /// v0.12.0](https://github.com/containerd/nri/blob/v0.12.0/pkg/api/plugin.go), and limits the
    /// length of the name.
    ///
    /// # Errors
    ///
    /// Returns the rule that the index or the name breaks.
    pub fn new(index: &str, name: &str) -> Result<Self, InvalidPluginId> {
        check_characters(name)?;
        Self::lenient(index, name)
    }

    /// Checks an index and a name as runtimes before NRI v0.12.0 do, which allow every character in
    /// a name. Control characters, which no line of a log can show, are refused.
    ///
    /// # Errors
    ///
    /// Returns the rule that the index or the name breaks.
    pub fn lenient(index: &str, name: &str) -> Result<Self, InvalidPluginId> {
        check_shown(name)?;
        check_index(index)?;
        Ok(PluginId { index: index.to_owned(), name: name.to_owned() })
    }
}

impl fmt::Display for PluginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.index, self.name)
    }
}

impl FromStr for PluginId {
    type Err = InvalidPluginId;

    /// Splits and checks the file name of a plugin, `NN-name`.
    fn from_str(file: &str) -> Result<Self, InvalidPluginId> {
        let (index, name) =
            file.split_once('-').ok_or_else(|| InvalidPluginId::NoIndex(file.to_owned()))?;
        Self::new(index, name)
    }
}

/// The rule that the index or the name of a plugin breaks. Worded like the reference
/// implementation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidPluginId {
    /// A file name is not `NN-name`.
    #[error("invalid plugin name {0:?}, must be idx-pluginname")]
    NoIndex(String),
    /// The index is not two digits.
    #[error("invalid plugin index {0:?}, must be 2 digits")]
    Index(String),
    /// The name is empty.
    #[error("invalid plugin name: name is empty")]
    Empty,
    /// The name has a character that is not allowed in names.
    #[error("invalid plugin name {name:?}: contains invalid character {character:?}")]
    Character {
        /// The start of the name.
        name: String,
        /// The first character that is not allowed.
        character: char,
    },
    /// The name has a control character, which no line of a log can show.
    #[error("invalid plugin name {name:?}: contains control character {character:?}")]
    Control {
        /// The start of the name.
        name: String,
        /// The first control character.
        character: char,
    },
    /// The name is too long. The number is its length in bytes.
    #[error("invalid plugin name: {0} bytes, at most {MAX_NAME_BYTES} are allowed")]
    Length(usize),
}

impl InvalidPluginId {
    /// Returns how to fix the error.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoIndex(_) => "write two digits, a hyphen and the name, such as 10-logger",
            Self::Index(_) => "use two digits, such as 10",
            Self::Empty | Self::Character { .. } | Self::Control { .. } => {
                "use letters, digits and _ . + - only"
            }
            Self::Length(_) => "use a shorter name",
        }
    }
}

fn check_characters(name: &str) -> Result<(), InvalidPluginId> {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || "_.+-".contains(*c);
    match name.chars().find(|c| !allowed(c)) {
        None => Ok(()),
        Some(character) => Err(InvalidPluginId::Character { name: shown(name), character }),
    }
}

fn check_shown(name: &str) -> Result<(), InvalidPluginId> {
    if name.is_empty() {
        return Err(InvalidPluginId::Empty);
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(InvalidPluginId::Length(name.len()));
    }
    match name.chars().find(|c| c.is_control()) {
        None => Ok(()),
        Some(character) => Err(InvalidPluginId::Control { name: shown(name), character }),
    }
}

fn check_index(index: &str) -> Result<(), InvalidPluginId> {
    if index.len() == 2 && index.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    Err(InvalidPluginId::Index(shown(index)))
}

fn shown(text: &str) -> String {
    text.chars().take(MAX_SHOWN_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_indexes_are_checked() {
        let long = format!("10-{}", "a".repeat(254));
        for (file, reason) in [
            ("", "must be idx-pluginname"),
            ("logger", "must be idx-pluginname"),
            ("1-logger", "must be 2 digits"),
            ("１0-logger", "must be 2 digits"),
            ("10-", "name is empty"),
            ("10-a b", "invalid character ' '"),
            (&long, "254 bytes, at most 253 are allowed"),
        ] {
            let error = file.parse::<PluginId>().unwrap_err();
            assert!(error.to_string().contains(reason), "{file:?}: {error}");
            assert!(!error.help().is_empty());
        }
        assert!(long[..long.len() - 1].parse::<PluginId>().is_ok());
    }

    #[test]
    fn characters_of_names_are_free_before_v0_12() {
        assert!(PluginId::lenient("10", "a b").is_ok());
        let error = PluginId::lenient("10", "a\nb").unwrap_err();
        assert!(error.to_string().contains("control character"), "{error}");
        assert_eq!(PluginId::lenient("10", ""), Err(InvalidPluginId::Empty));
    }
}
