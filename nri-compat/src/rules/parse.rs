//! One rule file: TOML to [`Rule`].

use std::fmt;

use toml::de::{DeTable, DeValue};

use super::{Category, Level, Rule};

/// The reason why a rule file is invalid.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RuleError {
    Syntax(String),
    Id(String),
    Missing(&'static str),
    Unknown(String),
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "not TOML: {error}"),
            Self::Id(found) => write!(f, "the id is {found}, not the file's name"),
            Self::Missing(key) => write!(f, "{key} is missing, empty or of the wrong type"),
            Self::Unknown(word) => write!(f, "unknown key, category or level: {word}"),
        }
    }
}

const KEYS: [&str; 7] = [
    "id",
    "summary",
    "explanation",
    "remedy",
    "categories",
    "level",
    "replaced_by",
];

/// Parses the text of `rules/ID.toml`.
pub(super) fn rule(id: &'static str, text: &str) -> Result<Rule, RuleError> {
    let document = DeTable::parse(text).map_err(|error| RuleError::Syntax(error.to_string()))?;
    let table = document.get_ref();
    if let Some(key) = table
        .keys()
        .find(|key| !KEYS.contains(&key.get_ref().as_ref()))
    {
        return Err(RuleError::Unknown(key.get_ref().to_string()));
    }
    let found = string(table, "id")?;
    if found != id {
        return Err(RuleError::Id(found));
    }
    Ok(Rule {
        id,
        summary: string(table, "summary")?,
        explanation: string(table, "explanation")?
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        remedy: string(table, "remedy")?,
        categories: categories(table)?,
        level: level(&string(table, "level")?)?,
        replaced_by: table
            .contains_key("replaced_by")
            .then(|| string(table, "replaced_by"))
            .transpose()?,
    })
}

fn string(table: &DeTable<'_>, key: &'static str) -> Result<String, RuleError> {
    match table.get(key).map(|value| value.get_ref()) {
        Some(DeValue::String(text)) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        _ => Err(RuleError::Missing(key)),
    }
}

fn categories(table: &DeTable<'_>) -> Result<Vec<Category>, RuleError> {
    let Some(DeValue::Array(names)) = table.get("categories").map(|value| value.get_ref()) else {
        return Err(RuleError::Missing("categories"));
    };
    let categories = names
        .iter()
        .map(|name| category(name.get_ref()))
        .collect::<Result<Vec<_>, _>>()?;
    if categories.is_empty() {
        Err(RuleError::Missing("categories"))
    } else {
        Ok(categories)
    }
}

fn category(name: &DeValue<'_>) -> Result<Category, RuleError> {
    let DeValue::String(name) = name else {
        return Err(RuleError::Missing("categories"));
    };
    Category::ALL
        .into_iter()
        .find(|category| category.as_str() == name.as_ref())
        .ok_or_else(|| RuleError::Unknown(name.to_string()))
}

fn level(name: &str) -> Result<Level, RuleError> {
    [Level::Note, Level::Warning, Level::Error]
        .into_iter()
        .find(|level| level.as_str() == name)
        .ok_or_else(|| RuleError::Unknown(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{RuleError, rule};

    const GOOD: &str = "id = 'A'\nsummary = 's'\nexplanation = 'e'\nremedy = 'r'\ncategories = ['WIRE']\nlevel = 'note'\n";

    #[test]
    fn a_complete_rule_is_read() {
        let rule = rule("A", &format!("{GOOD}replaced_by = 'B'\n")).unwrap();
        assert_eq!(rule.replaced_by.as_deref(), Some("B"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(rule("B", GOOD), Err(RuleError::Id("A".into())));
        assert_eq!(
            rule("A", &GOOD.replace("'s'", "''")),
            Err(RuleError::Missing("summary"))
        );
        assert_eq!(
            rule("A", &GOOD.replace("WIRE", "WIER")),
            Err(RuleError::Unknown("WIER".into()))
        );
        assert_eq!(
            rule("A", &format!("{GOOD}sumary = 's'\n")),
            Err(RuleError::Unknown("sumary".into()))
        );
        assert!(matches!(rule("A", "id = "), Err(RuleError::Syntax(_))));
    }
}
