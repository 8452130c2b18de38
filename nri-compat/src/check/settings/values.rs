//! Values that no release reads, or that it reads as another value than was meant.

use toml::Value;

use super::about;
use super::document::Setting;
use super::duration::{self, NotDuration};
use crate::configuration::{KnownSetting, ValueType};
use crate::rules::ids;
use crate::sighting::Incident;

/// Returns the mistake in the value of a setting.
pub(super) fn check(setting: &Setting, known: &KnownSetting) -> Option<Incident> {
    match (known.value_type, &setting.value) {
        (ValueType::Boolean, Value::Boolean(_)) | (ValueType::String, Value::String(_)) => None,
        (ValueType::Names, Value::Array(names)) if names.iter().all(Value::is_str) => None,
        (ValueType::Duration, Value::String(text)) => match duration::parse(text) {
            Ok(_) => None,
            Err(NotDuration::WithoutUnit) => Some(without_unit(setting)),
            Err(NotDuration::Invalid) => Some(invalid(setting, "a duration such as \"2s\"")),
        },
        (ValueType::Duration, Value::Integer(_) | Value::Float(_)) => Some(without_unit(setting)),
        (ValueType::Boolean, _) => Some(invalid(setting, "true or false")),
        (ValueType::String, _) => Some(invalid(setting, "a string")),
        (ValueType::Names, _) => Some(invalid(setting, "a list of strings")),
        (ValueType::Duration, _) => Some(invalid(setting, "a duration such as \"2s\"")),
    }
}

fn without_unit(setting: &Setting) -> Incident {
    let (key, value) = (setting.key(), setting.shown_value());
    let effect = match setting.value {
        Value::Integer(_) => {
            "the runtime does not start, or takes it as nanoseconds, depending on its release"
        }
        Value::String(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Array(_)
        | Value::Table(_) => "the runtime does not start",
    };
    let number = value.trim_matches('"');
    Incident {
        remedy: Some(format!("write {key} = \"{number}s\" for {number} seconds")),
        ..about(
            ids::CONFIG_DURATION_WITHOUT_UNIT,
            setting,
            format!("`{key} = {value}` has no unit: {effect}"),
        )
    }
}

fn invalid(setting: &Setting, expected: &str) -> Incident {
    let (key, value) = (setting.key(), setting.shown_value());
    let detail = format!("`{key} = {value}` is not {expected}: the runtime does not start");
    about(ids::CONFIG_VALUE_INVALID, setting, detail)
}
