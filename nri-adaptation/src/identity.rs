//! Names and indexes of plugins, and the rules for them.

use std::fmt;

use super::revision::Revision;

/// The maximum length of a name in bytes, as for the names of most objects in Kubernetes. Names are labels of metrics,
/// and part of many messages.
const MAX_NAME: usize = 253;

/// The name and index that a plugin registered with, such as `10-logger`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PluginId {
    /// Two digits. Plugins are called in ascending order.
    pub index: String,
    /// The name, without the index.
    pub name: String,
}

/// The identity that a plugin registers with.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) id: PluginId,
    pub(super) nri_version: String,
}

impl fmt::Display for PluginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.index, self.name)
    }
}

impl PluginId {
    /// Checks a name and an index, as a runtime of this revision does.
    ///
    /// # Errors
    ///
    /// Returns the reason, worded like the
    /// [reference](https://github.com/containerd/nri/blob/v0.12.5/pkg/api/plugin.go).
    pub fn checked(index: &str, name: &str, revision: &Revision) -> Result<Self, String> {
        if revision.is_at_least("v0.12.0") {
            check_name(name)?;
        } else if name.is_empty() {
            return Err("plugin registered with an empty name".to_owned());
        }
        check_shown(name)?;
        check_index(index)?;
        Ok(PluginId { index: index.to_owned(), name: name.to_owned() })
    }

    /// Splits the file name of an executable, `NN-name`.
    ///
    /// # Errors
    ///
    /// Returns the reason.
    pub(super) fn of_file(file: &str, revision: &Revision) -> Result<Self, String> {
        let (index, name) = file
            .split_once('-')
            .ok_or_else(|| format!("invalid plugin name {file:?}, must be idx-pluginname"))?;
        Self::checked(index, name, revision)
    }

    /// Returns whether a pattern names this plugin: `10-logger`, `logger` or `*`.
    pub(super) fn matches(&self, pattern: &str) -> bool {
        if pattern == "*" || pattern == self.name {
            return true;
        }
        let rest = pattern.strip_prefix(&*self.index);
        rest.and_then(|rest| rest.strip_prefix('-')) == Some(&*self.name)
    }
}

fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("invalid plugin name: name is empty".to_owned());
    }
    let allowed = |c: &char| c.is_ascii_alphanumeric() || "_.+-".contains(*c);
    match name.chars().find(|c| !allowed(c)) {
        None => Ok(()),
        Some(invalid) => {
            let shown: String = name.chars().take(64).collect();
            Err(format!("invalid plugin name {shown:?}: contains invalid character {invalid:?}"))
        }
    }
}

/// Refuses what no line of a log can show, in every revision. The reference does not.
fn check_shown(name: &str) -> Result<(), String> {
    if name.len() > MAX_NAME {
        let size = name.len();
        return Err(format!("invalid plugin name: {size} bytes, at most {MAX_NAME} are allowed"));
    }
    match name.chars().find(|c| c.is_control()) {
        None => Ok(()),
        Some(control) => {
            Err(format!("invalid plugin name {name:?}: contains control character {control:?}"))
        }
    }
}

fn check_index(index: &str) -> Result<(), String> {
    if index.len() == 2 && index.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    let shown: String = index.chars().take(64).collect();
    Err(format!("invalid plugin index {shown:?}, must be 2 digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_indexes_are_checked() {
        let of_file =
            |file: &str, release: &str| PluginId::of_file(file, &Revision::of(release).unwrap());
        let id = of_file("10-device-injector", "v0.12.5").unwrap();
        assert_eq!((&*id.index, &*id.name), ("10", "device-injector"));
        let long = format!("10-{}", "a".repeat(254));
        for (file, release, reason) in [
            ("", "v0.12.5", "must be idx-pluginname"),
            ("logger", "v0.12.5", "must be idx-pluginname"),
            ("1-logger", "v0.12.5", "must be 2 digits"),
            ("１0-logger", "v0.12.5", "must be 2 digits"),
            ("10-", "v0.12.5", "name is empty"),
            ("10-a b", "v0.12.5", "invalid character ' '"),
            (&long, "v0.12.5", "254 bytes, at most 253 are allowed"),
            ("10-a\nb", "v0.11.0", "control character"),
            ("10-", "v0.11.0", "empty name"),
        ] {
            let error = of_file(file, release).unwrap_err();
            assert!(error.contains(reason), "{file:?}: {error}");
        }
        assert!(of_file(&long[..long.len() - 1], "v0.12.5").is_ok());
        // Characters of names are free before v0.12.0.
        assert!(of_file("10-a b", "v0.11.0").is_ok());
    }

    #[test]
    fn patterns_name_a_plugin_by_name_with_or_without_index() {
        let id = PluginId::of_file("10-log-ger", &Revision::newest()).unwrap();
        for (pattern, matches) in [
            ("*", true),
            ("log-ger", true),
            ("10-log-ger", true),
            ("20-log-ger", false),
            ("log", false),
            ("10", false),
            ("", false),
        ] {
            assert_eq!(id.matches(pattern), matches, "{pattern:?}");
        }
    }
}
