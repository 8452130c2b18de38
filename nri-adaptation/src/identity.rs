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
        if revision.checks_names() {
            check_name(name)?;
        } else if name.is_empty() {
            return Err("plugin registered with an empty name".to_owned());
        }
        check_shown(name)?;
        check_index(index)?;
        Ok(PluginId {
            index: index.to_owned(),
            name: name.to_owned(),
        })
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
            Err(format!(
                "invalid plugin name {shown:?}: contains invalid character {invalid:?}"
            ))
        }
    }
}

/// Refuses what no line of a log can show, in every revision. The reference does not.
fn check_shown(name: &str) -> Result<(), String> {
    if name.len() > MAX_NAME {
        let size = name.len();
        return Err(format!(
            "invalid plugin name: {size} bytes, at most {MAX_NAME} are allowed"
        ));
    }
    match name.chars().find(|c| c.is_control()) {
        None => Ok(()),
        Some(control) => Err(format!(
            "invalid plugin name {name:?}: contains control character {control:?}"
        )),
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
        let newest = Revision::newest();
        let id = PluginId::of_file("10-device-injector", &newest).unwrap();
        assert_eq!((&*id.index, &*id.name), ("10", "device-injector"));
        for (file, reason) in [
            ("", "must be idx-pluginname"),
            ("logger", "must be idx-pluginname"),
            ("1-logger", "must be 2 digits"),
            ("１0-logger", "must be 2 digits"),
            ("10-", "name is empty"),
            ("10-a b", "invalid character ' '"),
        ] {
            let error = PluginId::of_file(file, &newest).unwrap_err();
            assert!(error.contains(reason), "{file:?}: {error}");
        }
    }

    #[test]
    fn characters_of_names_are_free_before_v0_12_0() {
        let older = Revision::of("v0.11.0").unwrap();
        assert!(PluginId::of_file("10-a b", &older).is_ok());
        assert!(PluginId::of_file("10-a\nb", &older).is_err());
        assert!(PluginId::of_file("10-", &older).is_err());
    }

    #[test]
    fn names_have_a_maximum_length() {
        let named = |length| PluginId::checked("10", &"a".repeat(length), &Revision::newest());
        assert!(named(253).is_ok());
        let error = named(100_000).unwrap_err();
        assert_eq!(
            error,
            "invalid plugin name: 100000 bytes, at most 253 are allowed"
        );
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
