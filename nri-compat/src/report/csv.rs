//! CSV for spreadsheets and small scripts: one row per verdict or finding, quoted as in RFC 4180.

mod diff;

pub use diff::diff;

use std::io::{self, Write};

use super::check::CheckReport;
use super::template::{self, check_context};
use super::{visible, written};

/// Renders the answer of `check` or `logs` as CSV: a row for each verdict, for each subject without
/// verdicts, for each node pool of a cluster, whose kind is `node_pool`, and for each skipped file,
/// whose verdict is `skipped`. Several events in a cell are separated by spaces.
pub fn check(report: &CheckReport) -> String {
    written(|out| write_check(report.clone(), out))
}

/// Writes the answer of `check` or `logs` as CSV.
///
/// # Errors
///
/// Returns an error if `out` cannot be written.
pub fn write_check(report: CheckReport, out: &mut dyn Write) -> io::Result<()> {
    template::write("check.csv", check_context(report), out)
}

/// Returns rows below a header.
fn rows(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    written(|out| write_rows(head, rows, out))
}

/// Writes rows of equal length below a header.
fn write_rows(
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(head)?;
    for row in rows {
        writer.write_record(row.iter().map(|cell| harmless(cell)))?;
    }
    writer.flush()
}

/// Returns a cell that no spreadsheet interprets as a formula, by adding an apostrophe if
/// necessary. <https://owasp.org/www-community/attacks/CSV_Injection>
fn harmless(cell: &str) -> String {
    let shown = visible(cell);
    if shown.starts_with(['=', '+', '-', '@']) {
        format!("'{shown}")
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn cells_are_quoted_and_formulas_disarmed() {
        let row = ["a,b", "c\"d", "e\nf", "=1+1", ""]
            .map(String::from)
            .to_vec();
        let text = rows(&["1", "2", "3", "4", "5"], [row].into_iter());
        assert_eq!(text, "1,2,3,4,5\n\"a,b\",\"c\"\"d\",e\\nf,'=1+1,\n");
    }
}
