//! Tables of text with styled cells.

use std::fmt::Write as _;
use std::io;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::report::written;

/// The text of a cell and its style.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) text: String,
    style: Style,
}

impl Cell {
    /// Returns a cell in a style.
    pub(super) fn new(text: impl Into<String>, style: Style) -> Self {
        Self {
            text: text.into(),
            style,
        }
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::new(text, Style::new())
    }
}

/// The minimum width of a last column that is wrapped.
const MIN_LAST_COLUMN: usize = 16;

/// Returns true if no line of the table is wider than `width` columns.
pub(super) fn fits(head: &[&str], rows: &[Vec<Cell>], width: usize) -> bool {
    let widths = column_widths(head, rows);
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1) <= width
}

/// Returns the rows with their last column wrapped into as many lines as necessary; `None` if the
/// other columns leave no room for that.
pub(super) fn with_broken_ends(
    head: &[&str],
    rows: &[Vec<Cell>],
    width: usize,
) -> Option<Vec<Vec<Cell>>> {
    let widths = column_widths(head, rows);
    let (_, others) = widths.split_last()?;
    let room = width.checked_sub(others.iter().map(|width| width + 2).sum())?;
    if room < MIN_LAST_COLUMN {
        return None;
    }
    Some(
        rows.iter()
            .flat_map(|row| broken_end(row, others.len(), room))
            .collect(),
    )
}

/// Returns the row, followed by the rows that its cell `last` needs at `room` columns.
fn broken_end(row: &[Cell], last: usize, room: usize) -> Vec<Vec<Cell>> {
    let Some(end) = row.get(last) else {
        return vec![row.to_vec()];
    };
    let mut ends = textwrap::wrap(&end.text, room).into_iter();
    let first = ends.next().unwrap_or_default();
    let with = |mut cells: Vec<Cell>, text: &str| {
        cells.truncate(last);
        cells.push(Cell::new(text, end.style));
        cells
    };
    let mut rows = vec![with(row.to_vec(), &first)];
    rows.extend(ends.map(|text| with(vec![Cell::default(); last], &text)));
    rows
}

/// Returns the width of each column.
fn column_widths(head: &[&str], rows: &[Vec<Cell>]) -> Vec<usize> {
    let head: Vec<Cell> = head
        .iter()
        .map(|&cell| Cell::new(cell, Style::new()))
        .collect();
    let mut widths = Vec::new();
    widen(&mut widths, &head);
    rows.iter().for_each(|row| widen(&mut widths, row));
    widths
}

/// Returns the table's lines: columns two spaces apart, the last one not padded.
pub(super) fn table(head: &[&str], rows: &[Vec<Cell>], title: Style) -> String {
    written(|out| write(head, || rows.iter().cloned(), title, out))
}

/// Writes the table's lines. `rows` creates the rows twice: to measure the columns, and to write
/// them.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub(super) fn write<R: Iterator<Item = Vec<Cell>>>(
    head: &[&str],
    rows: impl Fn() -> R,
    title: Style,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let head: Vec<Cell> = head.iter().map(|&cell| Cell::new(cell, title)).collect();
    let mut widths = Vec::new();
    widen(&mut widths, &head);
    rows().for_each(|row| widen(&mut widths, &row));
    let mut text = String::new();
    for cells in std::iter::once(head).chain(rows()) {
        row(&mut text, &cells, &widths);
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    Ok(())
}

/// Makes the columns wide enough for a row.
fn widen(widths: &mut Vec<usize>, cells: &[Cell]) {
    widths.resize(widths.len().max(cells.len()), 0);
    for (width, cell) in widths.iter_mut().zip(cells) {
        *width = cell.text.width().max(*width);
    }
}

fn row(text: &mut String, cells: &[Cell], widths: &[usize]) {
    let filled = cells.iter().rposition(|cell| !cell.text.is_empty());
    let filled = filled.map_or(0, |last| last + 1);
    for (column, (cell, width)) in cells.iter().zip(widths).take(filled).enumerate() {
        let style = cell.style;
        let _ = write!(text, "{style}{}{style:#}", cell.text);
        if column + 1 < filled {
            let gap = width.saturating_sub(cell.text.width()) + 2;
            let _ = write!(text, "{:gap$}", "");
        }
    }
    text.push('\n');
}

/// Returns the text within `width` columns, with its middle replaced by `…` if it is longer.
pub(super) fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let front = taken(text.chars(), kept / 3);
    let mut back: Vec<char> = taken(text.chars().rev(), kept - kept / 3).chars().collect();
    back.reverse();
    format!("{front}…{}", back.into_iter().collect::<String>())
}

/// Returns as many characters as fit into `width` columns.
fn taken(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut left = width;
    chars
        .take_while(|c| {
            let columns = c.to_string().width();
            let fits = columns <= left;
            left = left.saturating_sub(columns);
            fits
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_in_any_script() {
        let cell = |text: &str| Cell::new(text, Style::new());
        let rows = [vec![cell("容器"), cell("x")], vec![cell("a"), cell("")]];
        let text = table(&["A", "B"], &rows, Style::new());
        assert_eq!(text, "A     B\n容器  x\na\n");
    }

    #[test]
    fn a_long_path_keeps_its_ends() {
        assert_eq!(shortened("/opt/nri/plugins/10-logger", 12), "/op…0-logger");
        assert_eq!(shortened("/opt", 12), "/opt");
        assert!(shortened("容器容器容器", 6).width() <= 6);
    }
}
