//! The pages about rules and statements: what `nri-compat explain` prints.

use std::fmt::Write as _;

use super::command::Documented;
use super::page::{Page, block};
use crate::error::TaskError;

/// An entry of the list that `explain` prints.
#[derive(Debug, PartialEq, Eq)]
struct ReferenceEntry {
    id: String,
    summary: String,
}

impl ReferenceEntry {
    /// Returns true for a statement, whose id is a letter and a number.
    fn is_statement(&self) -> bool {
        let mut characters = self.id.chars();
        characters.next().is_some_and(|first| first.is_ascii_uppercase())
            && !characters.as_str().is_empty()
            && characters.all(|c| c.is_ascii_digit())
    }

    fn link(&self, folder: &str) -> String {
        format!("[{}]({folder}{}.md)", self.id, self.id)
    }
}

/// The rules and statements.
#[derive(Debug)]
pub(super) struct Reference {
    rules: Vec<ReferenceEntry>,
    statements: Vec<ReferenceEntry>,
}

impl Reference {
    /// Asks the command for all rules and statements.
    ///
    /// # Errors
    ///
    /// Returns an error if the command fails.
    pub(super) fn read(command: &Documented) -> Result<Self, TaskError> {
        let list = command.output(["explain"])?;
        let (statements, rules) =
            entries(&list).into_iter().partition(ReferenceEntry::is_statement);
        Ok(Self { rules, statements })
    }

    /// Returns the lists in the summary of the book, each with the line that stands for it there.
    pub(super) fn lists(&self) -> [(&'static str, String); 2] {
        [
            ("{{#rules}}", in_summary(&self.rules, "reference/rules/")),
            ("{{#statements}}", in_summary(&self.statements, "reference/statements/")),
        ]
    }

    /// Returns a page for each rule and statement, and a list of each.
    ///
    /// # Errors
    ///
    /// Returns an error if the command fails.
    pub(super) fn pages(&self, command: &Documented) -> Result<Vec<Page>, TaskError> {
        let rules = "Rules of `diff`, `check` and `logs`. A policy may change the level of a rule.";
        let statements = "Statements of the lifecycle contract, which plugins and runtimes keep.";
        let mut pages = vec![
            list("Rules", rules, &self.rules, "reference/rules"),
            list("Statements", statements, &self.statements, "reference/statements"),
        ];
        let folders = [(&self.rules, "rules"), (&self.statements, "statements")];
        for (entries, folder) in folders {
            for ReferenceEntry { id, .. } in entries {
                let text = command.output(["explain", id])?;
                pages.push(Page {
                    path: format!("reference/{folder}/{id}.md").into(),
                    text: format!("# {id}\n\n{}", block(&text)),
                });
            }
        }
        Ok(pages)
    }
}

/// Returns the entries of a list: indented lines with an id, a colon and a summary.
fn entries(list: &str) -> Vec<ReferenceEntry> {
    let mut entries: Vec<ReferenceEntry> = list.lines().filter_map(entry).collect();
    // A rule may be in several categories.
    let mut known = std::collections::BTreeSet::new();
    entries.retain(|entry| known.insert(entry.id.clone()));
    entries
}

/// Returns the entry in a line of a list, if it has one.
fn entry(line: &str) -> Option<ReferenceEntry> {
    let (id, summary) = line.strip_prefix("  ")?.split_once(':')?;
    let is_id = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    (!id.is_empty() && id.chars().all(is_id))
        .then(|| ReferenceEntry { id: id.to_owned(), summary: summary.trim().to_owned() })
}

fn in_summary(entries: &[ReferenceEntry], folder: &str) -> String {
    let mut lines = String::new();
    for entry in entries {
        // Writing to a string does not fail.
        let _ = writeln!(lines, "    - {}", entry.link(folder));
    }
    lines
}

fn list(title: &str, introduction: &str, entries: &[ReferenceEntry], folder: &str) -> Page {
    let mut text = format!("# {title}\n\n{introduction}\n\n");
    for entry in entries {
        let _ = writeln!(text, "- {}: {}", entry.link(""), entry.summary);
    }
    Page { path: format!("{folder}/index.md").into(), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_explain_is_read() {
        let list = "\
FILE: generated source code breaks
  ENUM_NO_DELETE: an enum was deleted
      from its file

WIRE: the binary encoding breaks
  ENUM_NO_DELETE: an enum was deleted
  See: `explain`

P: hooks
  P1:  Every hook completes.
";
        let entries = entries(list);
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["ENUM_NO_DELETE", "P1"]);
        assert_eq!(entries[1].summary, "Every hook completes.");
        assert!(entries[1].is_statement() && !entries[0].is_statement());
    }
}
