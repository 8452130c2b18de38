//! Texts of a peer as part of a line of ours.

use std::fmt::{self, Write as _};

/// Shows a text on one line, at most a number of characters of it.
///
/// Control characters, and those that change the direction of text, are escaped: a text with a line end would forge a
/// line of the log.
pub struct OneLine<'t> {
    text: &'t str,
    max: usize,
}

impl<'t> OneLine<'t> {
    /// Shows at most `max` characters, and `…` for the others.
    pub const fn new(text: &'t str, max: usize) -> Self {
        Self { text, max }
    }
}

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.text.chars();
        for c in characters.by_ref().take(self.max) {
            if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
                write!(f, "{}", c.escape_default())?;
            } else {
                f.write_char(c)?;
            }
        }
        match characters.next() {
            Some(_) => f.write_char('…'),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OneLine;

    #[test]
    fn a_text_stays_on_its_line_and_has_an_end() {
        let shown = |text: &str, max| OneLine::new(text, max).to_string();
        assert_eq!(shown("a\nb\u{1b}[1m", 9), "a\\nb\\u{1b}[1m");
        assert_eq!(shown("\u{202e}é", 9), "\\u{202e}é");
        assert_eq!(shown("éé", 2), "éé");
        assert_eq!(shown("ééé", 2), "éé…");
        assert_eq!(shown("", 0), "");
    }
}
