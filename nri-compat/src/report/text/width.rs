//! The width of a text report: the only place that decides how many columns lines may take.

/// The narrowest width that is respected, in columns.
const NARROWEST: usize = 20;

/// The widest width that is respected, in columns: prose is hard to read in longer lines.
const WIDEST: usize = 200;

/// The width of prose if no width is asked for, as in a file or pipe.
const DEFAULT: usize = 100;

/// The number of columns that lines may take.
///
/// With a number of columns, lines are at most that long. Without one, prose is broken at 100 columns, while tables and
/// long names are left whole, so that other programs can read them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Width(Option<usize>);

impl Width {
    /// Returns the width of this many columns, at least 20 and at most 200.
    pub fn columns(columns: usize) -> Self {
        Self(Some(columns.clamp(NARROWEST, WIDEST)))
    }

    /// Returns the number of columns, if one was asked for.
    pub(super) fn asked(self) -> Option<usize> {
        self.0
    }

    /// Returns the number of columns that prose may take.
    pub(super) fn of_prose(self) -> usize {
        self.0.unwrap_or(DEFAULT)
    }
}

/// How a text report looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Colours, or none.
    pub palette: super::Palette,
    /// The width of lines.
    pub width: Width,
}

impl From<super::Palette> for Look {
    fn from(palette: super::Palette) -> Self {
        Self {
            palette,
            width: Width::default(),
        }
    }
}
