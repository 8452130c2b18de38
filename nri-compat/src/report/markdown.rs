//! Markdown for pull requests and release notes.

mod diff;
mod history;

pub use diff::diff;
pub use history::{runtime, runtimes, versions};

/// A table; cells are escaped so that a `|` in a name stays inside its cell.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let rule = vec!["---"; head.len()];
    let mut text = format!("| {} |\n| {} |\n", head.join(" | "), rule.join(" | "));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}

/// A name in code quotes.
fn code(name: &str) -> String {
    format!("`{name}`")
}
