//! One rule file: TOML to [`Rule`].

use serde::Deserialize;

use super::{Category, Level, Rule};

/// The content of a rule file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    id: String,
    summary: String,
    explanation: String,
    remedy: String,
    categories: Vec<Category>,
    level: Level,
    replaced_by: Option<String>,
}

/// Parses the text of `rules/ID.toml`.
///
/// # Errors
///
/// Returns a description of the mistake.
pub(super) fn rule(id: &'static str, text: &str) -> Result<Rule, String> {
    let file: RuleFile = toml::from_str(text).map_err(|error| error.to_string())?;
    if file.id != id {
        return Err(format!("the id is {}, not the file's name", file.id));
    }
    if file.categories.is_empty() {
        return Err("categories is empty".to_owned());
    }
    Ok(Rule {
        id,
        summary: one_line("summary", &file.summary)?,
        explanation: one_line("explanation", &file.explanation)?,
        remedy: one_line("remedy", &file.remedy)?,
        categories: file.categories,
        level: file.level,
        replaced_by: file.replaced_by,
    })
}

/// Joins the lines of a text that must not be empty.
fn one_line(key: &str, text: &str) -> Result<String, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        return Err(format!("{key} is empty"));
    }
    Ok(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::rule;

    const GOOD: &str = "id = 'A'\nsummary = 's'\nexplanation = 'e'\nremedy = 'r'\ncategories = ['WIRE']\nlevel = 'note'\n";

    #[test]
    fn a_complete_rule_is_read() {
        let rule = rule("A", &format!("{GOOD}replaced_by = 'B'\n")).unwrap();
        assert_eq!(rule.replaced_by.as_deref(), Some("B"));
    }

    #[test]
    fn an_error_names_the_mistake() {
        for (id, from, to, expected) in [
            ("B", "", "", "the id is A, not the file's name"),
            ("A", "'s'", "' '", "summary is empty"),
            ("A", "['WIRE']", "[]", "categories is empty"),
            ("A", "WIRE", "WIER", "unknown variant `WIER`"),
            ("A", "'note'", "'fatal'", "unknown variant `fatal`"),
            (
                "A",
                "level",
                "sumary = 's'\nlevel",
                "unknown field `sumary`",
            ),
            ("A", "remedy = 'r'", "", "missing field `remedy`"),
            ("A", "'s'", "", "TOML parse error"),
        ] {
            let error = rule(id, &GOOD.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
