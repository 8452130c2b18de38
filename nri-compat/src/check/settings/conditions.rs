//! The conditions for a plugin under a configuration.

use std::time::Duration;

use toml::Value;

use super::effective::{Effective, State, Why};
use super::{FolderSetting, about, at, duration};
use crate::configuration::Meaning;
use crate::escape;
use crate::rules::ids;
use crate::sighting::Incident;

/// The table of the default validator.
const VALIDATOR: &str = "default_validator.";

/// Returns the finding that NRI is off.
pub(super) fn off(state: &State) -> Incident {
    match &state.why {
        Why::Setting { name, value, place } => {
            let key = name.rsplit('.').next().unwrap_or(name);
            let detail = if value.is_empty() {
                format!("NRI is off: `{key}` names its plugin")
            } else {
                format!("NRI is off: `{key} = {value}`")
            };
            Incident { setting: Some(name.clone()), ..at(ids::CONFIG_NRI_OFF, place, detail) }
        }
        Why::Default { release, place } => {
            let detail = format!("NRI is off by default in {release}, and no file turns it on");
            at(ids::CONFIG_NRI_OFF, place, detail)
        }
    }
}

/// Returns what a plugin meets if NRI is on.
pub(super) fn find(effective: &Effective<'_>) -> Vec<Incident> {
    let mut found = Vec::new();
    if let Some((_, setting)) = effective.setting(Meaning::NoConnections)
        && setting.value == Value::Boolean(true)
    {
        let detail = "only plugins in the folder of the runtime run: those that connect on their own, such as a DaemonSet, find no socket";
        found.push(about(ids::CONFIG_CONNECTIONS_DISABLED, setting, detail.to_owned()));
    }
    found.extend(time_limit(effective, Meaning::RegistrationTimeout));
    found.extend(time_limit(effective, Meaning::RequestTimeout));
    found.extend(validator_off(effective));
    found
}

/// Returns the folders that differ from the defaults.
pub(super) fn folders(effective: &Effective<'_>) -> Vec<FolderSetting> {
    let folders = [Meaning::PluginDir, Meaning::ConfigDir].into_iter().filter_map(|meaning| {
        let (known, setting) = effective.setting(meaning)?;
        let path = setting.value.as_str()?;
        if known.default_in(None).and_then(Value::as_str) == Some(path) {
            return None;
        }
        let effect = if meaning == Meaning::PluginDir {
            "the runtime starts no plugins"
        } else {
            "the plugins that the runtime starts get no configuration"
        };
        let detail = format!("the folder {} does not exist: {effect}", escape::short(path));
        let missing = about(ids::CONFIG_FOLDER_MISSING, setting, detail);
        Some(FolderSetting { path: path.to_owned(), missing })
    });
    folders.collect()
}

/// Returns a finding for a time limit other than the default.
fn time_limit(effective: &Effective<'_>, meaning: Meaning) -> Option<Incident> {
    let (known, setting) = effective.setting(meaning)?;
    let limit = duration::parse(setting.value.as_str()?).ok()?;
    let default = duration::parse(known.default_in(None)?.as_str()?).ok()?;
    let is_request = meaning == Meaning::RequestTimeout;
    (limit != default)
        .then(|| about(ids::CONFIG_TIME_LIMIT, setting, effect(limit, default, is_request)))
}

fn effect(limit: Duration, default: Duration, is_request: bool) -> String {
    let (shown, usual) = (duration::words(limit), duration::words(default));
    match (is_request, limit > default) {
        (true, true) => format!(
            "a plugin that does not answer holds up each event of each pod for {shown} instead of {usual}, before it is closed"
        ),
        (true, false) => {
            format!(
                "a plugin that does not answer an event within {shown} is closed; the default is {usual}"
            )
        }
        (false, true) => format!(
            "a plugin that does not register holds up the start of the runtime for {shown} instead of {usual}"
        ),
        (false, false) => {
            format!(
                "a plugin that does not register within {shown} is refused; the default is {usual}"
            )
        }
    }
}

/// Returns a finding for the first setting of the default validator that counts, if that is off.
fn validator_off(effective: &Effective<'_>) -> Option<Incident> {
    if effective.is_true(Meaning::Validator) {
        return None;
    }
    let setting = effective.below(VALIDATOR).find(|setting| has_effect(&setting.value))?;
    let detail = format!("`{}` has no effect, because the default validator is off", setting.key());
    Some(about(ids::CONFIG_VALIDATOR_OFF, setting, detail))
}

/// Returns true if a setting of the default validator with this value makes it do something.
fn has_effect(value: &Value) -> bool {
    match value {
        Value::Boolean(is_on) => *is_on,
        Value::Array(names) => !names.is_empty(),
        Value::String(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Datetime(_)
        | Value::Table(_) => false,
    }
}
