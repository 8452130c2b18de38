//! What only text reports have: colours, columns, and lines that fit a terminal.

mod wrap;

use anstyle::{AnsiColor, Style};
use minijinja::{Environment, State, Value};
use textwrap::core::display_width;

use super::escape;
pub(super) use wrap::Wrapping;

const GOOD: Style = AnsiColor::Green.on_default();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The style of each word that a report shows in colour: verdicts, levels, outcomes and answers.
const STYLES: [(&str, Style); 22] = [
    ("title", Style::new().bold().underline()),
    ("strong", Style::new().bold()),
    ("faint", Style::new().dimmed()),
    ("ok", GOOD),
    ("works", GOOD),
    ("implemented", GOOD),
    ("note", NOTE),
    ("unknown", NOTE),
    ("fallback", NOTE),
    ("warning", WARNING),
    ("deprecated", WARNING),
    ("loses", WARNING),
    ("presence", WARNING),
    ("misreads", WARNING),
    ("errors", WARNING),
    ("error", ERROR),
    ("removed", ERROR),
    ("incompatible", ERROR),
    ("fails", ERROR),
    ("breaks", ERROR),
    ("silent", ERROR),
    ("dropped", ERROR),
];

/// The minimum width of the last column of a table.
const MIN_LAST_COLUMN: usize = 16;

/// Adds the filters that only text reports use.
pub(super) fn add(environment: &mut Environment<'_>, is_coloured: bool, width: Option<usize>) {
    environment.add_global("tab", Value::from_safe_string("\t".to_owned()));
    environment.add_filter(
        "style",
        move |state: &State<'_, '_>, text: Value, name: String| {
            let text = escape::markup(state, &text);
            Value::from_safe_string(styled(&text, &name, is_coloured))
        },
    );
    // A label of prose, padded to a width.
    environment.add_filter(
        "label",
        move |state: &State<'_, '_>, text: Value, name: Option<String>, width: Option<usize>| {
            let text = format!("{:1$}", escape::markup(state, &text), width.unwrap_or(0));
            let text = styled(&text, &name.unwrap_or_default(), is_coloured);
            Value::from_safe_string(text + "\t")
        },
    );
    environment.add_filter("table", move |rows: String| {
        let strong = |head: &str| styled(head, "strong", is_coloured);
        Value::from_safe_string(table(&rows, width, strong))
    });
}

fn styled(text: &str, name: &str, is_coloured: bool) -> String {
    let style = STYLES.iter().find(|(known, _)| *known == name);
    match style {
        Some((_, style)) if is_coloured && !text.is_empty() => format!("{style}{text}{style:#}"),
        _ => text.to_owned(),
    }
}

/// Returns rows, one per line with tabs between their cells, as columns two spaces apart. The first row is the head.
///
/// If the last column of a table does not fit into the requested width, each cell gets a line.
fn table(text: &str, requested: Option<usize>, strong: impl Fn(&str) -> String) -> String {
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split('\t').collect()).collect();
    let Some((head, cells)) = rows.split_first() else {
        return String::new();
    };
    let widths = column_widths(&rows);
    let others: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
    if requested.is_some_and(|width| others + MIN_LAST_COLUMN > width) {
        let lists = cells.iter().map(|row| list(head, row, &strong));
        return lists.collect::<Vec<_>>().join("\n");
    }
    let lines = cells.iter().map(|row| aligned(row, &widths) + "\n");
    strong(&aligned(head, &widths)) + "\n" + &lines.collect::<String>()
}

fn column_widths(rows: &[Vec<&str>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column| {
        let cells = rows
            .iter()
            .filter_map(|row: &Vec<&str>| row.get::<usize>(column));
        cells.map(|cell| display_width(cell)).max().unwrap_or(0)
    };
    (0..columns).map(width).collect()
}

/// Returns a line without spaces at its end.
fn aligned(row: &[&str], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).map(|(cell, width)| {
        let padding = width + 2 - display_width(cell);
        format!("{cell}{:padding$}", "")
    });
    cells.collect::<String>().trim_end().to_owned()
}

/// Returns a row with a line for each cell.
fn list(head: &[&str], row: &[&str], strong: impl Fn(&str) -> String) -> String {
    let cells = head.iter().zip(row).enumerate();
    let lines = cells.map(|(nth, (head, cell))| {
        let indent = if nth == 0 { "" } else { "  " };
        format!("{indent}{} \t{cell}\n", strong(&format!("{head}:")))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_in_any_script() {
        for (rows, expected) in [
            ("A\tB\n容器\tx\na\t\n", "A     B\n容器  x\na\n"),
            (
                "A\tB\n\u{1b}[1maa\u{1b}[0m\tx\n",
                "A   B\n\u{1b}[1maa\u{1b}[0m  x\n",
            ),
        ] {
            assert_eq!(table(rows, None, str::to_owned), expected);
        }
    }

    #[test]
    fn a_table_that_is_too_wide_is_a_list() {
        let rows = "NAME\tWHERE\nfirst\t/opt/a\nsecond\t/opt/b\n";
        let expected = "NAME: \tfirst\n  WHERE: \t/opt/a\n\nNAME: \tsecond\n  WHERE: \t/opt/b\n";
        assert_eq!(table(rows, Some(20), str::to_owned), expected);
        assert!(table(rows, Some(24), str::to_owned).starts_with("NAME    WHERE\n"));
    }
}
