//! The lines of a text report.
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

/// A writer that wraps the lines that it gets.
pub(in crate::report::template) struct Wrapping<'w> {
    out: &'w mut dyn Write,
    width: Option<usize>,
    line: Vec<u8>,
}

impl<'w> Wrapping<'w> {
    /// Creates a writer whose lines have at most `width` columns, if given.
    pub(in crate::report::template) fn new(out: &'w mut dyn Write, width: Option<usize>) -> Self {
        Self {
            out,
            width,
            line: Vec::new(),
        }
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
    textwrap::fill(text.trim_start_matches(' '), options)
        .trim_end()
        .to_owned()
        + "\n"
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
