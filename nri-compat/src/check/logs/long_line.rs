//! A line that is too long to be kept: it is searched piece by piece, and only the bytes around
//! relevant words are passed on.

use super::line_handler::LineHandler;
use super::marker::{Markers, Numbers};

/// The number of bytes before and after a relevant word that are passed on with it: more than any
/// message of a runtime.
const AROUND: usize = 4 << 10;

/// The state of a line that is too long.
#[derive(Debug, Default)]
pub(super) struct LongLine {
    /// The last bytes of the line so far.
    tail: Vec<u8>,
    /// The number of bytes of the tail that have been searched.
    searched: usize,
    /// The notations of numbers that the line may contain.
    numbers: Option<Numbers>,
    /// True if the line has a relevant word.
    is_relevant: bool,
}

impl LongLine {
    /// Searches the next bytes of the line.
    pub(super) fn add(&mut self, part: &[u8], markers: &Markers, handler: &mut dyn LineHandler) {
        self.tail.extend_from_slice(part);
        self.search(self.tail.len().saturating_sub(AROUND), markers, handler);
        let dropped = self.tail.len().saturating_sub(2 * AROUND);
        self.tail.drain(..dropped);
        self.searched = self.searched.saturating_sub(dropped);
    }

    /// Searches the rest at the end of the line.
    pub(super) fn end(mut self, markers: &Markers, handler: &mut dyn LineHandler) {
        self.search(self.tail.len(), markers, handler);
        if self.is_relevant {
            handler.too_long();
        }
    }

    /// Passes on the bytes around relevant words before `end`; each excerpt starts after the word of
    /// the one before it.
    fn search(&mut self, end: usize, markers: &Markers, handler: &mut dyn LineHandler) {
        let numbers = *self.numbers.get_or_insert_with(|| {
            let (head, _) = self.tail.split_at(self.tail.len().min(AROUND));
            Numbers::default().with_line(head)
        });
        let mut search = markers.search(&self.tail, numbers);
        while let Some(at) = search.next(self.searched).filter(|at| *at < end) {
            let start = at.saturating_sub(AROUND);
            let around = self.tail.get(start..(at + AROUND).min(self.tail.len()));
            handler.excerpt(around.unwrap_or_default(), at - start);
            self.is_relevant = true;
            self.searched = at + 1;
        }
        self.searched = self.searched.max(end);
    }
}
