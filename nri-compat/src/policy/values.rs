//! The values in `nri-compat.toml`. `toml` adds the position in the file to their errors.

use globset::{Glob, GlobMatcher};
use jiff::civil::Date;
use serde::de::{Error as _, IntoDeserializer as _};
use serde::{Deserialize, Deserializer};

use crate::error::did_you_mean;
use crate::rules;
use crate::statements;

/// The id of a rule, or of a statement of the contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct RuleId(pub(super) String);

impl TryFrom<String> for RuleId {
    type Error = String;

    fn try_from(id: String) -> Result<Self, String> {
        if rules::get(&id).is_some() || statements::contains(&id) {
            return Ok(Self(id));
        }
        let known = rules::ids().chain(statements::ids());
        let help = did_you_mean(&id, known, "`nri-compat explain` lists all");
        Err(format!("unknown rule `{id}`; {help}"))
    }
}

/// A pattern of names, such as `10-*`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pattern(pub(super) GlobMatcher);

impl TryFrom<String> for Pattern {
    type Error = globset::Error;

    fn try_from(pattern: String) -> Result<Self, globset::Error> {
        Ok(Self(Glob::new(&pattern)?.compile_matcher()))
    }
}

/// Reads an optional date.
pub(super) fn date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Date>, D::Error> {
    let date = toml::value::Date::deserialize(deserializer)?;
    date.to_string().parse().map(Some).map_err(D::Error::custom)
}

/// Reads a list of strings, or one string without a list.
pub(super) fn one_or_many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let values = match toml::Value::deserialize(deserializer)? {
        toml::Value::Array(values) => values,
        one => vec![one],
    };
    let value = |value| match value {
        toml::Value::String(text) => T::deserialize(text.into_deserializer()),
        _ => Err(D::Error::custom("expected a string or a list of strings")),
    };
    values.into_iter().map(value).collect()
}
