//! A policy, and its file `nri-compat.toml`. Anything unknown in it is an error with its line.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::{Error as _, IntoDeserializer as _};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::ignore::{Ignore, RuleId, Scope};
use super::{FILE, FailOn};
use crate::error::{Error, ErrorKind};
use crate::report::finding::Level;
use crate::text_file;

/// The maximum size of a policy in bytes.
const MAX_POLICY: u64 = 1 << 20;

/// A policy: `nri-compat.toml`. The default decides nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Policy {
    /// The file, as shown in messages.
    #[serde(skip)]
    file: String,
    /// The text of the file.
    #[serde(skip)]
    text: String,
    /// The targets if the command line names none.
    #[serde(deserialize_with = "one_or_many")]
    pub(crate) targets: Vec<String>,
    /// The conditions for exit code 100 if the command line gives none.
    #[serde(deserialize_with = "one_or_many")]
    pub fail_on: Vec<FailOn>,
    /// The levels of rules, by id.
    pub(super) rules: BTreeMap<RuleId, RuleLevel>,
    /// Findings that do not count, in the order of the file.
    #[serde(rename = "ignore")]
    pub(super) ignores: Vec<Spanned<Ignore>>,
}

/// The level that the policy gives to a rule. Verdicts with `error` always count, regardless of
/// `--fail-on` names; verdicts with `note` never count, and those that are `off` are suppressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RuleLevel {
    Error,
    Warning,
    Note,
    Off,
}

impl RuleLevel {
    /// Returns the level of findings, unless they are suppressed.
    pub(super) fn level(self) -> Option<Level> {
        match self {
            Self::Error => Some(Level::Error),
            Self::Warning => Some(Level::Warning),
            Self::Note => Some(Level::Note),
            Self::Off => None,
        }
    }
}

impl Policy {
    /// Reads the policy from `path`, or from `nri-compat.toml` in the current directory; returns an
    /// empty one if the latter does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a policy.
    pub fn load(path: Option<&Path>) -> Result<Self, Error> {
        let path = match path {
            Some(path) => path,
            None if Path::new(FILE).exists() => Path::new(FILE),
            None => return Ok(Self::default()),
        };
        let text = text_file::read(path, MAX_POLICY, ErrorKind::Policy)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Parses the text of a policy; `file` is its name in messages.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not TOML, or has a key, a rule or a value that does not exist,
    /// with file, line and similar names.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let mut policy: Self = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Error::new(ErrorKind::Policy, format!("{file}:{}: {}", line(text, at), error.message()))
        })?;
        (policy.file, policy.text) = (file.to_owned(), text.to_owned());
        for ignore in &policy.ignores {
            if let Some(problem) = problem(ignore.get_ref()) {
                let message = format!("{}: {problem}", policy.place(ignore));
                return Err(Error::new(ErrorKind::Policy, message));
            }
        }
        Ok(policy)
    }

    /// Returns the file and line of an ignore.
    pub(super) fn place(&self, ignore: &Spanned<Ignore>) -> String {
        format!("{}:{}", self.file, line(&self.text, ignore.span().start))
    }
}

/// Reads a list of strings, or one string without a list.
fn one_or_many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
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

/// Returns the line of a byte in a text, counted from 1.
fn line(text: &str, at: usize) -> usize {
    let before = text.bytes().take(at);
    before.filter(|byte| *byte == b'\n').count() + 1
}

/// Returns the problem of an ignore as a whole, if any.
fn problem(ignore: &Ignore) -> Option<&'static str> {
    let is_about_plugins = ignore.plugin.is_some() || ignore.target.is_some();
    if ignore.reason.trim().is_empty() {
        Some("an ignore without a `reason`")
    } else if ignore.test.is_some() && ignore.scope() != Scope::Conformance {
        Some("an ignore with a `test`, but without the id of a statement as its `rule`")
    } else if ignore.scope() == Scope::Diff && is_about_plugins {
        Some(
            "an ignore for findings of `diff` with a `plugin` or `target`, which such findings do not have",
        )
    } else if ignore.plugin.is_none() && ignore.element.is_none() && ignore.rule.is_none() {
        Some("an ignore without a `plugin`, `element` or `rule`")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Policies, with `;` in place of a line end, and the start of their errors.
    const ERRORS: &str = "
;target = 'a' => 2: unknown field `target`, expected one of `targets`
fail-on = 'removd' => 1: unknown variant `removd`, expected one of
;fail-on = true => 2: expected a string or a list
targets = [1] => 1: expected a string or a list
;;targets = => 3:
[rules];CHECK_ONE_SHOTT = 'note' => 2: unknown rule `CHECK_ONE_SHOTT`; did you mean CHECK_ONE_SHOT
[rules];CHECK_ONE_SHOT = 'fatal' => 2: unknown variant `fatal`, expected one of `error`
ignore = 'x' => 1: invalid type: string \"x\", expected a sequence
[[ignore]];plugin = '*' => 1: an ignore without a `reason`
[[ignore]];plugin = '*';reason = ' ' => 1: an ignore without a `reason`
[[ignore]];reason = 'x' => 1: an ignore without a `plugin`, `element` or `rule`
[[ignore]];reason = 'x';test = 'x';rule = 'CHECK_ONE_SHOT' => 1: an ignore with a `test`
[[ignore]];reason = 'x';plugin = 'x';element = 'x' => 1: an ignore for findings of `diff`
[[ignore]];reasn = 'x' => 2: unknown field `reasn`, expected one of `
[[ignore]];rule = 'NRI_EVENT_REMOVEDD' => 2: unknown rule `NRI_EVENT_REMOVEDD`; did you mean
[[ignore]];rule = ['A'] => 2: invalid type: sequence, expected a string
[[ignore]];plugin = '[a' => 2:
[[ignore]];expires = '2027-01-01' => 2: invalid type: string
[[ignore]];expires = 2027-02-30 => 2: invalid date
";

    #[test]
    fn errors_have_a_line_and_say_what_is_known() {
        for row in ERRORS.lines().filter(|row| !row.is_empty()) {
            let (text, expected) = row.split_once(" => ").expect("a row");
            let error =
                Policy::parse("p.toml", &text.replace(';', "\n")).expect_err(row).to_string();
            assert!(error.starts_with(&format!("p.toml:{expected}")), "{error}");
        }
    }
}
