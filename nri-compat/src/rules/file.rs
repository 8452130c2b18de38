//! The file of a rule.

use std::sync::OnceLock;

use serde::Deserialize;

use super::{Category, Level, Rule};

/// The file of a rule, which is parsed when the rule is needed: most commands need a few of them.
pub(super) struct RuleFile {
    /// The id of the rule, which is the name of the file.
    pub(super) id: &'static str,
    text: &'static str,
    rule: OnceLock<Option<Rule>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    id: String,
    summary: String,
    explanation: String,
    remedy: String,
    categories: Vec<Category>,
    level: Level,
    replaced_by: Option<String>,
}

impl RuleFile {
    pub(super) fn new(id: &'static str, text: &'static str) -> Self {
        Self {
            id,
            text,
            rule: OnceLock::new(),
        }
    }

    /// Returns the rule; `None` if its file is malformed, which a test excludes.
    pub(super) fn rule(&'static self) -> Option<&'static Rule> {
        let parsed = self.rule.get_or_init(|| parse(self.text).ok());
        parsed.as_ref()
    }
}

/// Parses the text of a file. The texts of a rule live as long as the program, like the table.
fn parse(text: &str) -> Result<Rule, toml::de::Error> {
    let content: Content = toml::from_str(text)?;
    Ok(Rule {
        id: content.id.leak(),
        summary: one_line(&content.summary),
        explanation: one_line(&content.explanation),
        remedy: one_line(&content.remedy),
        categories: content.categories.leak(),
        level: content.level,
        replaced_by: content.replaced_by.map(|id| &*id.leak()),
    })
}

/// Joins the lines of a text.
fn one_line(text: &str) -> &'static str {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").leak()
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    #[test]
    fn every_file_is_complete() {
        for file in files() {
            let rule = parse(file.text).unwrap_or_else(|error| panic!("{}: {error}", file.id));
            assert_eq!(rule.id, file.id);
            assert!(!rule.categories.is_empty(), "{rule:?}");
            let texts = [rule.summary, rule.explanation, rule.remedy];
            assert!(texts.iter().all(|text| !text.is_empty()), "{rule:?}");
        }
    }
}
