//! Markdown for pull requests and release notes.

mod diff;
mod merge;

pub use diff::diff;
pub use merge::merge;

use std::io::{self, Write};

use super::check::CheckReport;
use super::template::{self, check_context};
use super::written;

/// Renders the answer of `check` or `logs` as markdown.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report.clone(), out))
}

/// Writes the answer of `check` or `logs` as markdown.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: CheckReport, out: &mut dyn Write) -> io::Result<()> {
    template::write("check.md", check_context(report), out)
}

/// Returns a table.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let rows: String = rows.iter().map(|row| table_row(row)).collect();
    table_head(head) + &rows
}

fn table_head(head: &[&str]) -> String {
    let rule = vec!["---"; head.len()];
    format!("| {} |\n| {} |\n", head.join(" | "), rule.join(" | "))
}

/// Returns a row; cells are escaped so that a `|` in a name stays inside its cell.
fn table_row(row: &[String]) -> String {
    let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Returns a name in code quotes, with one more backtick than its longest run of backticks.
fn code(name: &str) -> String {
    if !name.contains('`') {
        return format!("`{name}`");
    }
    let runs = name.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    format!("{fence} {name} {fence}")
}

/// Escapes untrusted prose so that it has no tags, links, headings or emphasis. Paired code quotes
/// keep their meaning.
fn prose(text: &str) -> String {
    let paired = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let mut escaped = String::with_capacity(text.len());
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= paired && c == '`';
        let marks = matches!(c, '\\' | '<' | '[' | ']' | '*' | '_' | '#' | '~' | '!');
        if !quoted && marks || !paired && c == '`' {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{code, prose};

    #[test]
    fn foreign_text_is_not_markup() {
        assert_eq!(
            prose("<b> [x](y) *z* a_b `a_b`"),
            "\\<b> \\[x\\](y) \\*z\\* a\\_b `a_b`"
        );
        assert_eq!(prose("a ` <b>"), "a \\` \\<b>");
        assert_eq!(code("a``b"), "``` a``b ```");
        assert_eq!(code("a"), "`a`");
    }
}
