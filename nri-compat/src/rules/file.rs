//! The file of a rule.

use std::sync::OnceLock;

use serde::{Deserialize, Deserializer};

use super::{Category, Rule};

/// The file of a rule, which is parsed when the rule is needed: most commands need a few of them.
pub(super) struct RuleFile {
    /// The id of the rule, which is the name of the file.
    pub(super) id: &'static str,
    text: &'static str,
    rule: OnceLock<Option<Rule>>,
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
        let parsed = self.rule.get_or_init(|| toml::from_str(self.text).ok());
        parsed.as_ref()
    }
}

/// Reads a text, and joins its lines. The texts of a rule live as long as the program, like the table.
pub(super) fn one_line<'de, D: Deserializer<'de>>(text: D) -> Result<&'static str, D::Error> {
    let text = String::deserialize(text)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    Ok(words.join(" ").leak())
}

/// Reads the categories, which live as long as the program, too.
pub(super) fn categories<'de, D: Deserializer<'de>>(
    categories: D,
) -> Result<&'static [Category], D::Error> {
    Ok(Vec::deserialize(categories)?.leak())
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    #[test]
    fn every_file_is_complete() {
        for file in files() {
            let rule: Rule =
                toml::from_str(file.text).unwrap_or_else(|error| panic!("{}: {error}", file.id));
            assert_eq!(rule.id, file.id);
            assert!(!rule.categories.is_empty(), "{rule:?}");
            let texts = [rule.summary, rule.explanation, rule.remedy];
            assert!(texts.iter().all(|text| !text.is_empty()), "{rule:?}");
        }
    }
}
