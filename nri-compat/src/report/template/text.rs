//! Features of text reports only: colours, columns, and lines that fit a terminal.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use minijinja::{Environment, State, Value};
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use super::escape;

/// Returns the style of a word that a report shows in colour: a verdict, a level, an outcome or an
/// answer.
fn style(name: &str) -> Style {
    let bold = |colour: AnsiColor| colour.on_default().bold();
    match name {
        "title" => Style::new().bold().underline(),
        "strong" => Style::new().bold(),
        "faint" => Style::new().dimmed(),
        "ok" | "works" | "implemented" => AnsiColor::Green.on_default(),
        "note" | "unknown" | "fallback" => bold(AnsiColor::Cyan),
        "warning" | "deprecated" | "loses" | "presence" | "misreads" | "errors" => {
            bold(AnsiColor::Yellow)
        }
        "error" | "removed" | "incompatible" | "fails" | "breaks" | "silent" | "dropped" => {
            bold(AnsiColor::Red)
        }
        _ => Style::new(),
    }
}

/// The minimum width of the last column of a table.
const MIN_LAST_COLUMN: usize = 16;

/// Adds the filters that only text reports use.
pub(super) fn add(environment: &mut Environment<'_>, is_coloured: bool, width: Option<usize>) {
    environment.add_global("tab", Value::from_safe_string("\t".to_owned()));
    environment.add_filter("style", move |state: &State<'_, '_>, text: Value, name: String| {
        let text = escape::markup(state, &text);
        Value::from_safe_string(styled(&text, &name, is_coloured))
    });
    // A label of prose, padded to a width.
    environment.add_filter(
        "label",
        move |state: &State<'_, '_>, text: Value, name: Option<String>, least: Option<usize>| {
            let padded = format!("{:1$}", escape::markup(state, &text), least.unwrap_or(0));
            let label = styled(&padded, &name.unwrap_or_default(), is_coloured);
            Value::from_safe_string(label + "\t")
        },
    );
    environment.add_filter("table", move |rows: String| {
        let strong = |head: &str| styled(head, "strong", is_coloured);
        Value::from_safe_string(table(&rows, width, strong))
    });
}

fn styled(text: &str, name: &str, is_coloured: bool) -> String {
    if !is_coloured || text.is_empty() {
        return text.to_owned();
    }
    let style = style(name);
    format!("{style}{text}{style:#}")
}

/// Returns rows, one per line with tabs between their cells, as columns two spaces apart. The first
/// row is the head.
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
        let cells = rows.iter().filter_map(|row: &Vec<&str>| row.get::<usize>(column));
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
    let lines = head.iter().zip(row).enumerate().map(|(nth, (label, cell))| {
        let indent = if nth == 0 { "" } else { "  " };
        format!("{indent}{} \t{cell}\n", strong(&format!("{label}:")))
    });
    lines.collect()
}

/// The width of prose in files and pipes. Long lines without a tab are not wrapped there, so that
/// other programs can read them.
const PROSE_WIDTH: usize = 100;

/// The maximum width of a label under which the following lines are aligned with the text; under a
/// longer label they are indented by four columns.
const MAX_ALIGNED_LABEL: usize = 20;

/// A writer that wraps the lines that it gets.
///
/// A template writes one paragraph per line. A tab separates the label of prose from its text,
/// which hangs under its first word. Values have no tabs, because these are escaped.
pub(super) struct Wrapping<'w> {
    out: &'w mut dyn Write,
    width: Option<usize>,
    line: Vec<u8>,
}

impl<'w> Wrapping<'w> {
    /// Creates a writer whose lines have at most `width` columns, if given.
    pub(super) fn new(out: &'w mut dyn Write, width: Option<usize>) -> Self {
        Self { out, width, line: Vec::new() }
    }
}

impl Write for Wrapping<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if let Some(line) = self.line.strip_suffix(b"\n") {
                let wrapped = wrapped(&String::from_utf8_lossy(line), self.width);
                self.out.write_all(wrapped.as_bytes())?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the lines of a paragraph. Escape sequences have no width.
fn wrapped(line: &str, requested: Option<usize>) -> String {
    let width = requested.unwrap_or(PROSE_WIDTH);
    let label = line.split_once('\t').map(|(label, _)| label);
    if label.is_none() && requested.is_none() {
        return format!("{line}\n");
    }
    let text = line.replacen('\t', "", 1);
    let indent = text.len() - text.trim_start_matches(' ').len();
    let margin = match label.map(display_width) {
        Some(start) if start <= indent + MAX_ALIGNED_LABEL => start,
        Some(_) | None => indent + 4,
    };
    // At least two thirds of the width are left for the text.
    let [first, other] = [indent, margin].map(|columns| " ".repeat(columns.min(width / 3)));
    let options = Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .break_words(requested.is_some())
        .initial_indent(&first)
        .subsequent_indent(&other);
    textwrap::fill(text.trim_start_matches(' '), options).trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_in_any_script() {
        for (rows, expected) in [
            ("A\tB\n容器\tx\na\t\n", "A     B\n容器  x\na\n"),
            ("A\tB\n\u{1b}[1maa\u{1b}[0m\tx\n", "A   B\n\u{1b}[1maa\u{1b}[0m  x\n"),
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
