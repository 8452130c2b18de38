//! The annotations that only buf prints, which are listed in `buf-differences.toml`.

use toml::de::{DeTable, DeValue};

use crate::buf::Printed;

const LIST: &str = include_str!("../buf-differences.toml");

/// One annotation that only buf prints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Accepted {
    rule: String,
    message: String,
}

impl Accepted {
    /// Returns true if this is the annotation.
    pub fn is(&self, printed: &Printed) -> bool {
        printed.annotation.rule == self.rule && printed.message.contains(&self.message)
    }
}

/// Returns every accepted difference.
///
/// # Panics
///
/// Panics if an entry is incomplete or has no reason.
pub fn all() -> Vec<Accepted> {
    let list = DeTable::parse(LIST).unwrap_or_else(|error| panic!("buf-differences.toml: {error}"));
    let Some(DeValue::Array(entries)) =
        list.get_ref().get("difference").map(|value| value.get_ref())
    else {
        return Vec::new();
    };
    entries.iter().flat_map(|entry| accepted(entry.get_ref())).collect()
}

fn accepted(entry: &DeValue<'_>) -> Vec<Accepted> {
    let DeValue::Table(entry) = entry else { panic!("a difference is a table") };
    let rule = text(entry.get("rule").map(|value| value.get_ref()));
    assert!(!text(entry.get("reason").map(|value| value.get_ref())).is_empty());
    let Some(DeValue::Array(messages)) = entry.get("messages").map(|value| value.get_ref()) else {
        panic!("a difference of {rule} has no messages");
    };
    let one = |message: &toml::Spanned<DeValue<'_>>| Accepted {
        rule: rule.clone(),
        message: text(Some(message.get_ref())),
    };
    messages.iter().map(one).collect()
}

fn text(value: Option<&DeValue<'_>>) -> String {
    match value {
        Some(DeValue::String(text)) => text.trim().to_owned(),
        other => panic!("a text is missing: {other:?}"),
    }
}
