//! The lines of a text report: wrapped prose.
//!
//! A template writes one paragraph per line. A tab separates the label of prose from its text, which hangs under its first word.
//! Values have no tabs, because these are escaped.

use std::io::{self, Write};

use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// The width of prose in files and pipes. Long lines without a tab are not wrapped there, so that other programs can read
/// them.
const PROSE_WIDTH: usize = 100;

/// The maximum width of a label under which the following lines are aligned with the text; under a longer label they are
/// indented by four columns.
const MAX_ALIGNED_LABEL: usize = 20;

/// The minimum number of columns for text next to its label; with fewer, the label gets a separate line.
const MIN_TEXT: usize = 12;

/// A writer that wraps the lines that it gets.
pub(super) struct Layout<'w> {
    out: &'w mut dyn Write,
    width: Option<usize>,
    line: Vec<u8>,
}

impl<'w> Layout<'w> {
    /// Creates a writer whose lines have at most `width` columns, if given.
    pub(super) fn new(out: &'w mut dyn Write, width: Option<usize>) -> Self {
        Self {
            out,
            width,
            line: Vec::new(),
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line);
        let wrapped = wrapped(line.trim_end_matches('\n'), self.width);
        self.out.write_all(wrapped.as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

impl Write for Layout<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.end_line()?;
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
    let (head, text, is_prose) = match line.split_once('\t') {
        Some((head, text)) => (head, text, true),
        None if requested.is_none_or(|width| display_width(line) <= width) => {
            return format!("{line}\n");
        }
        None => {
            let (head, text) = line.split_at(indent_of(line));
            (head, text, false)
        }
    };
    let indent = indent_of(head).min(width / 4);
    let label = head.trim_start_matches(' ');
    let start = indent + display_width(label);
    let is_long = !is_prose || start - indent > MAX_ALIGNED_LABEL;
    let margin = if is_long {
        (indent + 4).min(width / 3)
    } else {
        start
    };
    if requested.is_some() && start + MIN_TEXT > width {
        let label = filled(label, [indent, indent].map(spaces), width, true);
        let text = filled(text, [indent + 2, indent + 2].map(spaces), width, true);
        return label + text.trim_start_matches('\n');
    }
    let indents = [spaces(indent) + label, spaces(margin)];
    filled(text, indents, width, requested.is_some())
}

/// Returns the number of spaces at the start of a line.
fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn spaces(count: usize) -> String {
    " ".repeat(count)
}

/// Returns the lines of a text with these indents of the first and of all other lines.
fn filled(text: &str, indents: [String; 2], width: usize, breaks_words: bool) -> String {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return format!("{}\n", indents[0].trim_end());
    }
    let options = options(width)
        .initial_indent(&indents[0])
        .subsequent_indent(&indents[1])
        .break_words(breaks_words);
    textwrap::fill(&words.join(" "), options) + "\n"
}

/// Returns the way in which lines are wrapped: between words.
pub(super) fn options<'o>(width: usize) -> Options<'o> {
    Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_hangs_under_its_first_word() {
        let text = wrapped(&format!("  help: \t{}", "word ".repeat(30)), None);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("  help: word") && lines[0].len() <= 100);
        assert_eq!(lines[1].find("word"), Some(8));
    }

    #[test]
    fn names_and_tables_stay_on_a_line_unless_a_width_is_requested() {
        let line = "name  ".repeat(30);
        assert_eq!(wrapped(&line, None), format!("{line}\n"));
        assert!(wrapped(&line, Some(40)).lines().count() > 1);
    }

    #[test]
    fn nothing_is_wider_than_the_requested_width() {
        let long = "x".repeat(300);
        for columns in [20, 33, 80, 200] {
            for line in [
                "A title that is longer than any narrow terminal shows".to_owned(),
                format!("{:14}\t{}", "", "word ".repeat(80)),
                format!("    \u{1b}[1mdeprecated[CHECK_STATE_CHANGE]: \u{1b}[0m\t{long}"),
                "      events: \tRunPodSandbox, 容器容器容器容器容器容器".to_owned(),
                "  name (/a/long/path/to/some/plugin/in/a/folder)".to_owned(),
            ] {
                for line in wrapped(&line, Some(columns)).lines() {
                    assert!(display_width(line) <= columns, "{columns}: {line}");
                }
            }
        }
    }
}
