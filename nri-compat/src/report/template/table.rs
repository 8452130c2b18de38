//! Tables of a text report.

use textwrap::core::display_width;

use super::layout::options;

/// The minimum width of a last column that is wrapped.
const MIN_LAST_COLUMN: usize = 16;

/// Returns rows, one per line with tabs between their cells, as columns two spaces apart. The first row is the head.
///
/// In a table that is wider than the requested width, the last column is wrapped. If there is no room for that, each cell gets
/// a paragraph.
pub(super) fn table(text: &str, width: Option<usize>) -> String {
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split('\t').collect()).collect();
    let widths = column_widths(&rows);
    let all = widths.iter().map(|width| width + 2).sum::<usize>();
    let others = all - widths.last().map_or(0, |last| last + 2);
    match width {
        Some(width) if all > width + 2 && others + MIN_LAST_COLUMN > width => paragraphs(&rows),
        Some(width) if all > width + 2 => with_wrapped_ends(&rows, &widths, width - others),
        Some(_) | None => rows.iter().map(|row| aligned(row, &widths)).collect(),
    }
}

fn column_widths(rows: &[Vec<&str>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column| {
        let cells = rows
            .iter()
            .filter_map(|row: &Vec<&str>| row.get::<usize>(column));
        cells
            .map(|cell: &&str| display_width(cell))
            .max()
            .unwrap_or(0)
    };
    (0..columns).map(width).collect()
}

/// Returns a line without spaces at its end.
fn aligned(row: &[&str], widths: &[usize]) -> String {
    let filled = row.iter().rposition(|cell| !cell.is_empty());
    let filled = filled.map_or(0, |last| last + 1);
    let mut line = String::new();
    for (column, (cell, width)) in row.iter().zip(widths).take(filled).enumerate() {
        line.push_str(cell);
        if column + 1 < filled {
            line.push_str(&" ".repeat(width + 2 - display_width(cell)));
        }
    }
    line + "\n"
}

/// Returns the rows with their last cell in as many lines as necessary.
fn with_wrapped_ends(rows: &[Vec<&str>], widths: &[usize], room: usize) -> String {
    let mut text = String::new();
    for row in rows {
        let Some((end, others)) = row.split_last().filter(|_| row.len() == widths.len()) else {
            text += &aligned(row, widths);
            continue;
        };
        for (nth, end) in textwrap::wrap(end, options(room)).iter().enumerate() {
            let mut cells = if nth == 0 {
                others.to_vec()
            } else {
                vec![""; others.len()]
            };
            cells.push(end);
            text += &aligned(&cells, widths);
        }
    }
    text
}

/// Returns a paragraph for each cell, with an empty line between rows.
fn paragraphs(rows: &[Vec<&str>]) -> String {
    let Some((head, rows)) = rows.split_first() else {
        return String::new();
    };
    let row = |row: &Vec<&str>| -> String {
        let cells = head.iter().zip(row).enumerate();
        let cells = cells.map(|(nth, (head, cell))| {
            let indent = if nth == 0 { "" } else { "  " };
            format!("{indent}{}: \t{}\n", head.trim(), cell.trim())
        });
        cells.collect()
    };
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_in_any_script() {
        assert_eq!(table("A\tB\n容器\tx\na\t\n", None), "A     B\n容器  x\na\n");
        assert_eq!(
            table("A\tB\n\u{1b}[1maa\u{1b}[0m\tx\n", None),
            "A   B\n\u{1b}[1maa\u{1b}[0m  x\n"
        );
    }

    #[test]
    fn a_wide_table_is_wrapped_and_a_wider_one_is_a_list() {
        let rows = format!("A\tB\n1\t{}\n", "word ".repeat(10).trim_end());
        let wrapped = table(&rows, Some(24));
        assert!(
            wrapped.starts_with("A  B\n1  word word word word\n   word"),
            "{wrapped}"
        );
        assert_eq!(
            table("A\tB\nfirst\tlong text\n", Some(8)),
            "A: \tfirst\n  B: \tlong text\n"
        );
    }
}
