//! Lines, columns and colours of a text report.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::table::{self, Cell};
use crate::report::check::Outcome as Fate;
use crate::report::finding::Level;
use crate::report::pairing::Outcome;

/// Width that lines are broken at where nothing else is asked for; long names may stick out.
const WIDTH: usize = 100;

/// Lines are broken under a label of at most this length, and four columns in under a longer one.
const LONG_LABEL: usize = 20;

/// The styles of a report; all empty for plain text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Palette {
    title: Style,
    strong: Style,
    faint: Style,
    good: Style,
    note: Style,
    warning: Style,
    error: Style,
}

impl Palette {
    /// No escape sequences at all.
    pub fn plain() -> Self {
        Self::default()
    }

    /// ANSI colours, for a terminal.
    pub fn coloured() -> Self {
        let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
        Self {
            title: Style::new().bold().underline(),
            strong: Style::new().bold(),
            faint: Style::new().dimmed(),
            good: colour(AnsiColor::Green),
            note: colour(AnsiColor::Cyan).bold(),
            warning: colour(AnsiColor::Yellow).bold(),
            error: colour(AnsiColor::Red).bold(),
        }
    }

    pub(super) fn strong(&self) -> Style {
        self.strong
    }

    pub(super) fn faint(&self) -> Style {
        self.faint
    }

    pub(super) fn level(&self, level: Level) -> Style {
        match level {
            Level::Note => self.note,
            Level::Warning => self.warning,
            Level::Error => self.error,
        }
    }

    pub(super) fn outcome(&self, outcome: Outcome) -> Style {
        match outcome {
            Outcome::Works => self.good,
            Outcome::Fallback => self.note,
            Outcome::Loses | Outcome::Misreads => self.warning,
            Outcome::Fails | Outcome::Dropped => self.error,
        }
    }

    pub(super) fn fate(&self, fate: Fate) -> Style {
        match fate {
            Fate::Ok => self.good,
            Fate::Unknown => self.note,
            Fate::Deprecated => self.warning,
            Fate::Removed | Fate::Incompatible => self.error,
        }
    }
}

/// A report being written, top to bottom.
pub(super) struct Page {
    pub(super) palette: Palette,
    width: usize,
    text: String,
    /// Whether a part of it has been written to its destination.
    has_begun: bool,
}

impl Page {
    pub(super) fn new(palette: Palette) -> Self {
        Self {
            palette,
            width: WIDTH,
            text: String::new(),
            has_begun: false,
        }
    }

    /// The same page with its lines broken at another width.
    pub(super) fn with_width(mut self, width: usize) -> Self {
        self.width = width;
        self
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Moves the text so far to its destination, so that a long page takes little memory.
    ///
    /// # Errors
    ///
    /// When `out` cannot be written.
    pub(super) fn write_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.has_begun = !self.is_empty();
        out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && !self.has_begun
    }

    /// A section heading with an empty line before it.
    pub(super) fn heading(&mut self, title: &str) {
        let style = self.palette.title;
        let gap = if self.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.text, "{gap}{style}{title}{style:#}");
    }

    /// An empty line, unless nothing was written yet.
    pub(super) fn gap(&mut self) {
        if !self.is_empty() {
            self.text.push('\n');
        }
    }

    /// A line that is broken nowhere.
    pub(super) fn line(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.text, "{line}");
    }

    /// `label` in `style`, then prose broken at the page's width under itself.
    pub(super) fn prose(&mut self, indent: usize, label: &str, style: Style, prose: &str) {
        self.hang(indent, label, style, prose.split_whitespace(), " ");
    }

    /// `label` in `style`, then names with commas, broken at the page's width under themselves.
    pub(super) fn list<'n>(
        &mut self,
        indent: usize,
        label: &str,
        style: Style,
        names: impl IntoIterator<Item = &'n str>,
    ) {
        self.hang(indent, label, style, names.into_iter(), ", ");
    }

    fn hang<'w>(
        &mut self,
        indent: usize,
        label: &str,
        style: Style,
        words: impl Iterator<Item = &'w str>,
        between: &str,
    ) {
        let start = indent + label.chars().count();
        let margin = if label.len() > LONG_LABEL {
            indent + 4
        } else {
            start
        };
        let _ = write!(self.text, "{:indent$}{style}{label}{style:#}", "");
        let mut column = start;
        for (nth, word) in words.enumerate() {
            let length = word.chars().count();
            if nth > 0 && column + between.len() + length > self.width {
                let _ = write!(self.text, "{}\n{:margin$}", between.trim_end(), "");
                column = margin;
            } else if nth > 0 {
                self.text.push_str(between);
                column += between.len();
            }
            self.text.push_str(word);
            column += length;
        }
        let kept = self.text.trim_end_matches(' ').len();
        self.text.truncate(kept);
        self.text.push('\n');
    }

    /// A table with its columns two spaces apart; the last column is not padded.
    pub(super) fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let plain = |row: &Vec<String>| row.iter().map(Cell::from).collect();
        let rows: Vec<Vec<Cell>> = rows.iter().map(plain).collect();
        self.styled_table(head, &rows);
    }

    /// The same with a style for each cell.
    pub(super) fn styled_table(&mut self, head: &[&str], rows: &[Vec<Cell>]) {
        self.text
            .push_str(&table::table(head, rows, self.palette.strong));
    }

    /// Moves the text so far and a table to their destination. The rows, of which there may be many, are made twice: to
    /// measure the columns, and to write them.
    ///
    /// # Errors
    ///
    /// When `out` cannot be written.
    pub(super) fn write_table<R: Iterator<Item = Vec<Cell>>>(
        &mut self,
        head: &[&str],
        rows: impl Fn() -> R,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.write_to(out)?;
        self.has_begun = true;
        table::write(head, rows, self.palette.strong, out)
    }
}

/// `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_hangs_under_its_first_word() {
        let mut page = Page::new(Palette::plain());
        page.prose(2, "help: ", Style::new(), &"word ".repeat(30));
        let text = page.finish();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("  help: word") && lines[0].len() <= WIDTH);
        assert_eq!(lines[1].find("word"), Some(8));
    }

    #[test]
    fn a_broken_list_keeps_its_comma() {
        let mut page = Page::new(Palette::plain());
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
    fn plain_pages_hold_no_escapes() {
        let mut page = Page::new(Palette::plain());
        page.heading("title");
        page.table(&["a", "b"], &[vec!["long cell".into(), "x".into()]]);
        assert_eq!(page.finish(), "title\na          b\nlong cell  x\n");
    }
}
