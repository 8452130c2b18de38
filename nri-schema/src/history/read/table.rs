//! Reads TOML tables: missing, malformed or unknown entries become problems with their line.

use std::cell::RefCell;
use std::ops::Range;

use semver::Version;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, ErrorKind, Problem};

/// A table file being read, and the problems found so far.
pub(super) struct Document<'t> {
    file: &'t str,
    text: &'t str,
    problems: RefCell<Vec<Problem>>,
}

/// A table of a document: an entry, or a nested table.
pub(super) struct TableEntry<'d, 't> {
    document: &'d Document<'t>,
    table: &'d DeTable<'t>,
    span: Range<usize>,
}

/// Reads `text`, the content of `file`, with `read`; reports all problems at once.
pub(super) fn read<T>(
    file: &str,
    text: &str,
    read: impl FnOnce(&TableEntry<'_, '_>) -> T,
) -> Result<T, Error> {
    let parsed = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        Problem::new(ErrorKind::Table, error.message()).in_file(file).at(text, span)
    })?;
    let document = Document { file, text, problems: RefCell::default() };
    let result =
        read(&TableEntry { document: &document, table: parsed.get_ref(), span: parsed.span() });
    Error::unless_empty(document.problems.into_inner())?;
    Ok(result)
}

impl<'d, 't> TableEntry<'d, 't> {
    /// Returns the bytes of the file that contain this entry.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns a required string.
    pub(super) fn string(&self, key: &str) -> String {
        self.required(key)
            .and_then(|value| self.want(value, "a string", DeValue::as_str))
            .map(str::to_owned)
            .unwrap_or_default()
    }

    pub(super) fn string_if_any(&self, key: &str) -> Option<String> {
        let value = self.table.get(key)?;
        self.want(value, "a string", DeValue::as_str).map(str::to_owned)
    }

    /// Returns a boolean, false if absent.
    pub(super) fn flag(&self, key: &str) -> bool {
        let value = self.table.get(key);
        value
            .and_then(|value| self.want(value, "true or false", DeValue::as_bool))
            .unwrap_or_default()
    }

    /// Returns a date, as `YYYY-MM-DD`.
    pub(super) fn date(&self, key: &str) -> String {
        self.required(key)
            .and_then(|value| self.want(value, "a date", DeValue::as_datetime))
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    /// Returns a version with a leading `v`, and its text.
    pub(super) fn version(&self, key: &str) -> (Version, String) {
        let text = self.string(key);
        match text.strip_prefix('v').map(Version::parse) {
            Some(Ok(version)) => (version, text),
            _ => {
                self.complain(key, &format!("`{text}` is not a version such as v1.2.3"));
                (Version::new(0, 0, 0), text)
            }
        }
    }

    pub(super) fn strings(&self, key: &str) -> Vec<String> {
        self.array(key)
            .filter_map(|value| self.want(value, "a string", DeValue::as_str))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the tables of an array, or those written as `[[key]]`.
    pub(super) fn tables(&self, key: &str) -> Vec<TableEntry<'d, 't>> {
        self.array(key).filter_map(|value| self.table_of(value)).collect()
    }

    pub(super) fn table(&self, key: &str) -> Option<TableEntry<'d, 't>> {
        self.table_of(self.table.get(key)?)
    }

    /// Returns the keys and strings of the whole table, in order.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        let mut keys: Vec<_> = self.table.keys().collect();
        keys.sort_by_key(|key| key.span().start);
        keys.into_iter()
            .map(|key| key.get_ref().as_ref())
            .map(|name: &str| (name.to_owned(), self.string(name)))
            .collect()
    }

    /// Reports every key that is not in `known`: an entry that nothing reads is a mistake.
    pub(super) fn only(&self, known: &[&str]) {
        for key in self.table.keys() {
            if !known.contains(&key.get_ref().as_ref()) {
                let fact = format!("unknown key `{}`", key.get_ref());
                let help = format!("known keys: {}", known.join(", "));
                let problem = self.problem(key.span(), fact).with_help(help);
                self.document.problems.borrow_mut().push(problem);
            }
        }
    }

    /// Reports that the value of `key` is wrong.
    pub(super) fn complain(&self, key: &str, fact: &str) {
        let span = self.table.get(key).map_or(self.span(), Spanned::span);
        let problem = self.problem(span, fact.to_owned());
        self.document.problems.borrow_mut().push(problem);
    }

    fn problem(&self, span: Range<usize>, fact: String) -> Problem {
        Problem::new(ErrorKind::Table, fact)
            .in_file(self.document.file)
            .at(self.document.text, span)
    }

    fn required(&self, key: &str) -> Option<&'d Spanned<DeValue<'t>>> {
        let value = self.table.get(key);
        if value.is_none() {
            self.complain(key, &format!("`{key}` is missing"));
        }
        value
    }

    fn array(&self, key: &str) -> impl Iterator<Item = &'d Spanned<DeValue<'t>>> {
        let value = self.table.get(key);
        value
            .and_then(|value| self.want(value, "an array", DeValue::as_array))
            .into_iter()
            .flat_map(|array| array.iter())
    }

    fn table_of(&self, value: &'d Spanned<DeValue<'t>>) -> Option<TableEntry<'d, 't>> {
        let table = self.want(value, "a table", DeValue::as_table)?;
        Some(TableEntry { document: self.document, table, span: value.span() })
    }

    fn want<'v, T>(
        &self,
        value: &'v Spanned<DeValue<'t>>,
        wanted: &str,
        read: impl FnOnce(&'v DeValue<'t>) -> Option<T>,
    ) -> Option<T> {
        let found = read(value.get_ref());
        if found.is_none() {
            let fact = format!("expected {wanted}");
            let problem = self.problem(value.span(), fact);
            self.document.problems.borrow_mut().push(problem);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn reports_all_that_is_wrong_with_its_line() {
        let text = "[[a]]\nname = 3\nodd = 1\n[[a]]\n";
        let error = super::read("t.toml", text, |root| {
            for entry in root.tables("a") {
                entry.only(&["name"]);
                entry.string("name");
            }
        })
        .unwrap_err();
        let mut found: Vec<_> =
            error.problems().map(|p| (p.excerpt().unwrap().line(), p.to_string())).collect();
        found.sort();
        let expected =
            [(2, "expected a string"), (3, "unknown key `odd`"), (4, "`name` is missing")];
        assert_eq!(found, expected.map(|(line, fact)| (line, fact.to_owned())));
    }
}
