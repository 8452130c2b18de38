//! The ignores of a policy.

use globset::{Glob, GlobMatcher};
use jiff::civil::Date;
use toml::de::DeValue;

use super::{Reader, Table};
use crate::error::Error;
use crate::policy::Ignore;
use crate::policy::ignore::Scope;

const IGNORE_KEYS: [&str; 7] = [
    "plugin", "element", "rule", "test", "target", "reason", "expires",
];

impl Reader<'_> {
    /// Returns all ignores, in the order of the file.
    pub(super) fn ignores(&self, table: &Table<'_>) -> Result<Vec<Ignore>, Error> {
        let Some(value) = table.get("ignore") else {
            return Ok(Vec::new());
        };
        let not = |at| self.wrong(at, "`ignore` is not a list of tables: [[ignore]]");
        let DeValue::Array(all) = value.get_ref() else {
            return Err(not(value.span().start));
        };
        all.iter()
            .map(|one| match one.get_ref() {
                DeValue::Table(table) => self.ignore(one.span().start, table),
                _ => Err(not(one.span().start)),
            })
            .collect()
    }

    fn ignore(&self, at: usize, table: &Table<'_>) -> Result<Ignore, Error> {
        self.known(table, &IGNORE_KEYS)?;
        let ignore = Ignore {
            line: self.line(at),
            plugin: self.glob(table, "plugin")?,
            element: self.glob(table, "element")?,
            rule: self.optional(table, "rule")?,
            test: self.optional(table, "test")?,
            target: self.optional(table, "target")?,
            reason: self.optional(table, "reason")?.unwrap_or_default(),
            expires: self.expires(table)?,
        };
        if let (Some(value), Some(rule)) = (table.get("rule"), &ignore.rule) {
            self.rule(value.span().start, rule)?;
        }
        match problem(&ignore) {
            Some(problem) => Err(self.wrong(at, problem)),
            None => Ok(ignore),
        }
    }

    fn glob(&self, table: &Table<'_>, key: &str) -> Result<Option<GlobMatcher>, Error> {
        let Some(value) = table.get(key) else {
            return Ok(None);
        };
        let pattern = self.string(value, key)?;
        let glob = Glob::new(&pattern)
            .map_err(|error| self.wrong(value.span().start, &error.to_string()))?;
        Ok(Some(glob.compile_matcher()))
    }

    fn expires(&self, table: &Table<'_>) -> Result<Option<Date>, Error> {
        let Some(value) = table.get("expires") else {
            return Ok(None);
        };
        let date = match value.get_ref() {
            DeValue::Datetime(day) if day.time.is_none() => day.date,
            _ => None,
        };
        let whole = |number: u8| i8::try_from(number).ok();
        let day = date.and_then(|date| {
            let year = i16::try_from(date.year).ok()?;
            Date::new(year, whole(date.month)?, whole(date.day)?).ok()
        });
        day.map(Some).ok_or_else(|| {
            self.wrong(value.span().start, "`expires` is not a date")
                .with_help("a date has no quotes: expires = 2027-03-31")
        })
    }
}

/// Returns the problem of an ignore as a whole, if any.
fn problem(ignore: &Ignore) -> Option<&'static str> {
    let is_about_plugins = ignore.plugin.is_some() || ignore.target.is_some();
    if ignore.reason.is_empty() {
        Some("an ignore without a `reason`")
    } else if ignore.test.is_some() && ignore.scope() != Scope::Conformance {
        Some("an ignore with a `test`, but without the id of a statement as its `rule`")
    } else if ignore.scope() == Scope::Diff && is_about_plugins {
        Some(
            "an ignore of a finding of `diff` with `plugin` or `target`, which such a finding does not have",
        )
    } else if ignore.plugin.is_none() && ignore.element.is_none() && ignore.rule.is_none() {
        Some("an ignore with neither `plugin` nor `rule`")
    } else {
        None
    }
}
