//! How a plugin is identified: what it registers with, and the patterns that name it.

use nri::PluginId;

/// The identity that a plugin registers with.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) id: PluginId,
    pub(super) nri_version: String,
}

/// Returns true if a pattern names this plugin: `10-logger`, `logger` or `*`.
pub(super) fn matches(id: &PluginId, pattern: &str) -> bool {
    if pattern == "*" || pattern == id.name {
        return true;
    }
    let rest = pattern.strip_prefix(&*id.index);
    rest.and_then(|rest| rest.strip_prefix('-')) == Some(&*id.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_a_plugin_by_name_with_or_without_index() {
        let id = "10-log-ger".parse().unwrap();
        for (pattern, expected) in [
            ("*", true),
            ("log-ger", true),
            ("10-log-ger", true),
            ("20-log-ger", false),
            ("log", false),
            ("10", false),
            ("", false),
        ] {
            assert_eq!(matches(&id, pattern), expected, "{pattern:?}");
        }
    }
}
