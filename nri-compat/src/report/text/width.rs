//! The width of the lines of a text report.

use super::palette::Palette;

/// The minimum width in columns.
const MIN_WIDTH: usize = 20;

/// The maximum width in columns: prose is hard to read in longer lines.
const MAX_WIDTH: usize = 200;

/// The default width of prose, for files and pipes.
const DEFAULT_WIDTH: usize = 100;

/// The number of columns of lines.
///
/// With a number of columns, lines are at most that long. Without one, prose is wrapped at 100
/// columns, and tables and long names are not wrapped, so that other programs can read them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Width(Option<usize>);

impl Width {
    /// Creates a width of this many columns, at least 20 and at most 200.
    pub fn columns(columns: usize) -> Self {
        Self(Some(columns.clamp(MIN_WIDTH, MAX_WIDTH)))
    }

    /// Returns the number of columns, if one was requested.
    pub(super) fn requested(self) -> Option<usize> {
        self.0
    }

    /// Returns the maximum width of prose.
    pub(super) fn of_prose(self) -> usize {
        self.0.unwrap_or(DEFAULT_WIDTH)
    }
}

/// The style of a text report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// The colours, or none.
    pub palette: Palette,
    /// The width of lines.
    pub width: Width,
}

impl From<Palette> for Look {
    fn from(palette: Palette) -> Self {
        Self {
            palette,
            width: Width::default(),
        }
    }
}
