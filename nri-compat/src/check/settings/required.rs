//! Plugins without which a runtime creates no container.

use super::about;
use super::document::Setting;
use super::effective::{Effective, names};
use crate::configuration::Meaning;
use crate::escape;
use crate::rules::ids;
use crate::sighting::{Incident, Role, Sighting};

/// A plugin that a configuration requires.
#[derive(Clone, Debug)]
pub(in crate::check) struct RequiredPlugin {
    name: String,
    setting: Setting,
}

/// Returns the plugins that the default validator requires, if it is on.
pub(super) fn of(effective: &Effective<'_>) -> Vec<RequiredPlugin> {
    let setting = effective.setting(Meaning::RequiredPlugins);
    match setting.filter(|_| effective.is_true(Meaning::Validator)) {
        Some((_, setting)) => names(setting)
            .map(|name| RequiredPlugin { name: name.to_owned(), setting: setting.clone() })
            .collect(),
        None => Vec::new(),
    }
}

impl RequiredPlugin {
    /// Returns a finding if none of the plugins has this name. Without running processes, plugins
    /// that connect on their own were not looked for.
    pub(in crate::check) fn missing(
        &self,
        sightings: &[Sighting],
        has_processes: bool,
    ) -> Option<Incident> {
        // A program in the folder of plugins may be one, even if it cannot be judged.
        let may_be_plugin = |seen: &&Sighting| matches!(seen.role, Role::Plugin | Role::None);
        if sightings.iter().filter(may_be_plugin).any(|seen| self.is_name_of(seen)) {
            return None;
        }
        let name = escape::short(&self.name);
        let unseen = if has_processes {
            ""
        } else {
            "; plugins that connect on their own were not looked for (check --proc on the live node finds them)"
        };
        let detail = format!(
            "`{name}` is required, and no plugin that was found has this name: no container can be created without it{unseen}"
        );
        Some(about(ids::CONFIG_REQUIRED_PLUGIN_MISSING, &self.setting, detail))
    }

    /// Returns true if the plugin has this name, with or without its index.
    fn is_name_of(&self, seen: &Sighting) -> bool {
        let name = seen.name.as_deref().unwrap_or_default();
        let with_index = || {
            let index = seen.index.as_deref()?;
            Some(format!("{index}-{name}"))
        };
        self.name == name || with_index().is_some_and(|full_name| full_name == self.name)
    }
}
