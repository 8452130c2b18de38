//! Lines, columns and colours of a text report.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;
use textwrap::core::{Word, break_words};
use textwrap::wrap_algorithms::wrap_first_fit;
use unicode_width::UnicodeWidthStr;

use super::palette::Palette;
use super::table::{self, Cell};
use super::width::{Look, Width};

/// The maximum width of a label under which the following lines are aligned with the text; under a
/// longer label they are indented by four columns.
const MAX_ALIGNED_LABEL: usize = 20;

/// The minimum number of columns for text next to its label; with fewer, the label gets a separate
/// line.
const MIN_TEXT: usize = 12;

/// A report being written, from top to bottom.
pub(super) struct Page {
    pub(super) palette: Palette,
    width: Width,
    text: String,
    /// True if a part of it has been written to its destination.
    has_begun: bool,
}

impl Page {
    pub(super) fn new(look: Look) -> Self {
        Self {
            palette: look.palette,
            width: look.width,
            text: String::new(),
            has_begun: false,
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Writes the text so far to its destination, so that a long page takes little memory.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` cannot be written.
    pub(super) fn write_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.has_begun = !self.is_empty();
        out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && !self.has_begun
    }

    /// Adds a section heading with an empty line before it.
    pub(super) fn heading(&mut self, title: &str) {
        self.gap();
        self.line(0, title, self.palette.title, "");
    }

    /// Adds an empty line, unless the page is empty.
    pub(super) fn gap(&mut self) {
        if !self.is_empty() {
            self.text.push('\n');
        }
    }

    /// Adds `label` in `style` followed by text, on one line unless a width was requested.
    pub(super) fn line(&mut self, indent: usize, label: &str, style: Style, text: &str) {
        if self.width.requested().is_some() {
            let gap = if text.starts_with(' ') { " " } else { "" };
            return self.prose(indent, &format!("{label}{gap}"), style, text);
        }
        let _ = writeln!(self.text, "{:indent$}{style}{label}{style:#}{text}", "");
    }

    /// Adds text followed by an ending in `style`, on one line unless a width was requested.
    pub(super) fn ending(&mut self, indent: usize, text: &str, ending: &str, style: Style) {
        if self.width.requested().is_some() {
            return self.prose(indent, text, style, ending);
        }
        let _ = writeln!(self.text, "{:indent$}{text}{style}{ending}{style:#}", "");
    }

    /// Adds `label` in `style`, then prose that is aligned with its first word.
    pub(super) fn prose(&mut self, indent: usize, label: &str, style: Style, prose: &str) {
        let words: Vec<String> = prose
            .split_whitespace()
            .map(|word| format!("{word} "))
            .collect();
        self.hang(indent, label, style, &words);
    }

    /// Adds `label` in `style`, then comma-separated names, which are only broken if they do not
    /// fit into a line.
    pub(super) fn list<'n>(
        &mut self,
        indent: usize,
        label: &str,
        style: Style,
        names: impl IntoIterator<Item = &'n str>,
    ) {
        let mut words: Vec<String> = names.into_iter().map(|name| format!("{name}, ")).collect();
        if let Some(last) = words.last_mut() {
            last.truncate(last.len() - ", ".len());
        }
        self.hang(indent, label, style, &words);
    }

    fn hang(&mut self, indent: usize, label: &str, style: Style, words: &[String]) {
        let width = self.width.of_prose();
        let indent = indent.min(width / 4);
        let mut start = indent + label.width();
        if start + MIN_TEXT > width && self.width.requested().is_some() {
            self.label(indent, label.trim_end(), style);
            start = indent + 2;
            if words.is_empty() {
                return;
            }
            let _ = write!(self.text, "{:start$}", "");
        } else {
            let _ = write!(self.text, "{:indent$}{style}{label}{style:#}", "");
        }
        let is_long = label.width() > MAX_ALIGNED_LABEL;
        let margin = if is_long {
            (indent + 4).min(width / 3)
        } else {
            start
        };
        self.words(words, [width.saturating_sub(start), width - margin], margin);
    }

    /// Adds a label on separate lines.
    fn label(&mut self, indent: usize, label: &str, style: Style) {
        let options = textwrap::Options::new(self.width.of_prose() - indent);
        for line in textwrap::wrap(label, options) {
            let _ = writeln!(self.text, "{:indent$}{style}{line}{style:#}", "");
        }
    }

    /// Adds words in lines of these widths, all but the first indented by a margin. Words that are
    /// too long for a line are broken only if a width was requested.
    fn words(&mut self, words: &[String], widths: [usize; 2], margin: usize) {
        let words: Vec<Word<'_>> = words.iter().map(|word| Word::from(word)).collect();
        let words = match self.width.requested() {
            Some(_) => break_words(words, widths[0].min(widths[1])),
            None => words,
        };
        let widths = widths.map(|width| width as f64);
        let lines = wrap_first_fit(&words, &widths);
        for (nth, line) in lines.iter().enumerate() {
            if nth > 0 {
                let _ = write!(self.text, "\n{:margin$}", "");
            }
            let start = self.text.len();
            for word in *line {
                let _ = write!(self.text, "{}{}", word.word, word.whitespace);
            }
            let kept = self.text.trim_end_matches(' ').len();
            self.text.truncate(kept.max(start));
        }
        let kept = self.text.trim_end_matches(' ').len();
        self.text.truncate(kept);
        self.text.push('\n');
    }

    /// Adds a table with its columns two spaces apart; the last column is not padded.
    pub(super) fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let plain = |row: &Vec<String>| row.iter().map(Cell::from).collect();
        let rows: Vec<Vec<Cell>> = rows.iter().map(plain).collect();
        self.styled_table(head, &rows);
    }

    /// Adds a table with a style for each cell.
    pub(super) fn styled_table(&mut self, head: &[&str], rows: &[Vec<Cell>]) {
        let title = self.palette.strong;
        match self.width.requested() {
            Some(width) if !table::fits(head, rows, width) => self.narrow_table(head, rows, width),
            _ => self.text.push_str(&table::table(head, rows, title)),
        }
    }

    /// Adds a table that is wider than the page: with its last column wrapped, or with a line for each
    /// cell if there is no room for that.
    fn narrow_table(&mut self, head: &[&str], rows: &[Vec<Cell>], width: usize) {
        let title = self.palette.strong;
        if let Some(rows) = table::with_broken_ends(head, rows, width) {
            return self.text.push_str(&table::table(head, &rows, title));
        }
        for row in rows {
            self.gap();
            for (nth, (head, cell)) in head.iter().zip(row).enumerate() {
                let indent = if nth == 0 { 0 } else { 2 };
                self.prose(
                    indent,
                    &format!("{}: ", head.trim()),
                    title,
                    cell.text.trim(),
                );
            }
        }
    }

    /// Writes the text so far and a table to their destination. The rows, of which there may be
    /// many, are created twice: to measure the columns, and to write them.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` cannot be written.
    pub(super) fn write_table<R: Iterator<Item = Vec<Cell>>>(
        &mut self,
        head: &[&str],
        rows: impl Fn() -> R,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.width.requested().is_some() {
            let rows: Vec<Vec<Cell>> = rows().collect();
            self.styled_table(head, &rows);
            return self.write_to(out);
        }
        self.write_to(out)?;
        self.has_begun = true;
        table::write(head, rows, self.palette.strong, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_hangs_under_its_first_word() {
        let mut page = Page::new(Look::default());
        page.prose(2, "help: ", Style::new(), &"word ".repeat(30));
        let text = page.finish();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("  help: word") && lines[0].len() <= 100);
        assert_eq!(lines[1].find("word"), Some(8));
    }

    #[test]
    fn a_broken_list_keeps_its_comma() {
        let mut page = Page::new(Look::default());
        page.list(
            0,
            "",
            Style::new(),
            ["a".repeat(60).as_str(), "b".repeat(60).as_str()],
        );
        let text = page.finish();
        assert!(text.lines().next().is_some_and(|line| line.ends_with("a,")));
    }

    #[test]
    fn nothing_is_wider_than_the_requested_width() {
        for columns in [20, 33, 80, 200] {
            let mut page = Page::new(Look {
                width: Width::columns(columns),
                ..Look::default()
            });
            page.heading("A title that is longer than any narrow terminal shows");
            page.prose(14, "", Style::new(), &"word ".repeat(80));
            page.prose(
                4,
                "deprecated[CHECK_STATE_CHANGE]: ",
                Style::new(),
                &"x".repeat(300),
            );
            page.list(
                6,
                "events: ",
                Style::new(),
                ["RunPodSandbox", "容器容器容器容器容器容器"],
            );
            page.line(
                2,
                "name ",
                Style::new(),
                "(/a/long/path/to/some/plugin/in/a/folder)",
            );
            let row = ["a".repeat(30), "b".repeat(30), "c d ".repeat(60)];
            page.table(&["A", "B", "C"], &[row.to_vec()]);
            for line in page.finish().lines() {
                assert!(line.width() <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn plain_pages_have_no_escape_sequences() {
        let mut page = Page::new(Look::default());
        page.heading("title");
        page.table(&["a", "b"], &[vec!["long cell".into(), "x".into()]]);
        assert_eq!(page.finish(), "title\na          b\nlong cell  x\n");
    }
}
