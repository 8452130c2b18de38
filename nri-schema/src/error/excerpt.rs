//! The line of a problem, extracted from its file.

use std::ops::Range;

/// The maximum number of characters of a line that are shown.
const MAX_SHOWN: usize = 160;

/// A location in a text, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    span: Range<usize>,
    line: usize,
    column: usize,
    text: String,
    /// Characters of the line before `text`.
    skipped: usize,
    width: usize,
}

impl Excerpt {
    /// Returns the location of the bytes `span` in `text`; a span beyond the end means the end.
    pub(crate) fn new(text: &str, span: Range<usize>) -> Self {
        let start = floor(text, span.start);
        let end = floor(text, span.end.max(start));
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[line_start..].split('\n').next().unwrap_or_default();
        let column = before[line_start..].chars().count() + 1;
        // A line can be megabytes long: the excerpt ends at most `MAX_SHOWN` characters after its
        // start.
        let skipped = if column > MAX_SHOWN { column - MAX_SHOWN / 2 } else { 0 };
        let kept: String = line.trim_end().chars().skip(skipped).take(MAX_SHOWN).collect();
        let marked = text[start..end].split('\n').next().unwrap_or_default();
        Excerpt {
            span: start..end,
            line: before.matches('\n').count() + 1,
            column,
            text: kept,
            skipped,
            width: marked.chars().count().max(1),
        }
    }

    /// Returns bytes of the file.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the line of the location, or part of it if it is long.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the location in `file`, followed by the line with the offending part underlined.
    pub(crate) fn under(&self, file: &str) -> String {
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        let shown = &self.text;
        let indent = (self.column - 1).saturating_sub(self.skipped).min(MAX_SHOWN);
        // Tabs stay tabs, so that the caret is below its text for any width of a tab.
        let pad: String =
            shown.chars().take(indent).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let carets = "^".repeat(self.width.min(MAX_SHOWN + 1 - indent.min(MAX_SHOWN)));
        format!(
            "{gutter} --> {file}:{line}:{column}\n{gutter} |\n{number} | {shown}\n{gutter} | {pad}{carets}",
            line = self.line,
            column = self.column,
        )
    }
}

/// Returns the nearest character boundary at or below `index`.
fn floor(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::Excerpt;

    #[test]
    fn counts_lines_and_characters_from_one() {
        let text = "first\nsécond = 1\n";
        let at = text.find('=').unwrap();
        let excerpt = Excerpt::new(text, at..at + 1);
        assert_eq!((excerpt.line(), excerpt.column()), (2, 8));
        assert_eq!(
            excerpt.under("a.proto"),
            "  --> a.proto:2:8\n  |\n2 | sécond = 1\n  |        ^"
        );
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let text = format!("{}=", "a".repeat(1_000_000));
        let excerpt = Excerpt::new(&text, 1_000_000..1_000_001);
        assert!(excerpt.text().len() <= 160 && excerpt.text().ends_with("a="));
        let shown = excerpt.under("a.proto");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[2].find('='), lines[3].find('^'));
    }

    #[test]
    fn a_span_beyond_the_end_or_inside_a_character_is_moved() {
        assert_eq!(Excerpt::new("ab", 9..12).span(), 2..2);
        assert_eq!(Excerpt::new("é", 1..2).span(), 0..2);
        assert_eq!(Excerpt::new("", 0..0).column(), 1);
    }
}
