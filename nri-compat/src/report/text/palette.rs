//! The colours of a text report.

use anstyle::{AnsiColor, Style};

use crate::report::finding::Level;
use crate::report::{check, pairing};

/// The styles of a report; all empty for plain text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Palette {
    pub(super) title: Style,
    pub(super) strong: Style,
    pub(super) faint: Style,
    good: Style,
    note: Style,
    warning: Style,
    error: Style,
}

impl Palette {
    /// Returns a palette without escape sequences.
    pub fn plain() -> Self {
        Self::default()
    }

    /// Returns ANSI colours, for a terminal.
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

    pub(super) fn level(&self, level: Level) -> Style {
        match level {
            Level::Note => self.note,
            Level::Warning => self.warning,
            Level::Error => self.error,
        }
    }

    pub(super) fn pairing(&self, outcome: pairing::Outcome) -> Style {
        match outcome {
            pairing::Outcome::Works => self.good,
            pairing::Outcome::Fallback => self.note,
            pairing::Outcome::Loses
            | pairing::Outcome::LosesPresence
            | pairing::Outcome::Misreads
            | pairing::Outcome::Unknown => self.warning,
            pairing::Outcome::Fails | pairing::Outcome::Dropped => self.error,
        }
    }

    pub(super) fn verdict(&self, outcome: check::Outcome) -> Style {
        match outcome {
            check::Outcome::Ok => self.good,
            check::Outcome::Unknown => self.note,
            check::Outcome::Deprecated => self.warning,
            check::Outcome::Removed | check::Outcome::Incompatible => self.error,
        }
    }
}
