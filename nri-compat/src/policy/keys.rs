//! Finds the key at a byte offset of a TOML document, so that an error can name it.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Returns the path of keys to the innermost value at the byte offset: `ignore.expires`.
///
/// Returns `None` if there is no value at the offset: on a key, between values, or at the end of a
/// truncated document.
pub(super) fn at(text: &str, offset: usize) -> Option<String> {
    let (table, _) = DeTable::parse_recoverable(text);
    let mut path = Vec::new();
    in_table(table.get_ref(), offset, &mut path);
    (!path.is_empty()).then(|| path.join("."))
}

/// Adds the key whose value is at the offset, and those within that value.
fn in_table(table: &DeTable<'_>, offset: usize, path: &mut Vec<String>) {
    let mut entries = table.iter();
    let found = entries.find(|(_, value)| contains(value, offset));
    if let Some((key, value)) = found {
        path.push(key.get_ref().to_string());
        in_value(value.get_ref(), offset, path);
    }
}

fn in_value(value: &DeValue<'_>, offset: usize, path: &mut Vec<String>) {
    match value {
        DeValue::Table(table) => in_table(table, offset, path),
        DeValue::Array(values) => {
            if let Some(value) = values.iter().find(|value| contains(value, offset)) {
                in_value(value.get_ref(), offset, path);
            }
        }
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => {}
    }
}

/// Returns true if the value or one of its parts is at the offset. The span of a table under a
/// header is that of its header alone.
fn contains(value: &Spanned<DeValue<'_>>, offset: usize) -> bool {
    let is_within = match value.get_ref() {
        DeValue::Table(table) => table.values().any(|value| contains(value, offset)),
        DeValue::Array(values) => values.iter().any(|value| contains(value, offset)),
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => false,
    };
    is_within || value.span().contains(&offset)
}

#[cfg(test)]
mod tests {
    use super::at;

    const TEXT: &str = "targets = ['a', 1]\n[rules]\nA = 'b'\n[[ignore]]\nrule = 'c'\n[[ignore]]\nexpires = 2027-02-30\ninline = { x = 1 }\n";

    #[test]
    fn a_value_has_the_path_of_its_keys() {
        for (value, path) in [
            ("1]", "targets"),
            ("'b'", "rules.A"),
            ("'c'", "ignore.rule"),
            ("2027", "ignore.expires"),
            ("1 }", "ignore.inline.x"),
        ] {
            let offset = TEXT.find(value).expect("a value of the text");
            assert_eq!(at(TEXT, offset).as_deref(), Some(path), "{value}");
        }
    }

    #[test]
    fn a_key_and_broken_text_have_no_path() {
        assert_eq!(at(TEXT, 0), None);
        assert_eq!(at("a = ", 4), None);
        assert_eq!(at("", 7), None);
    }
}
