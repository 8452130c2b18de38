//! A target with its share of each outcome.

use super::verdict::class;
use crate::report::check::Outcome;

/// The width of the bar that shows the shares, in units of the drawing.
const BAR_WIDTH: usize = 1000;

/// A row of the table of targets.
pub(super) struct TargetRow {
    /// The name of the target.
    pub(super) name: String,
    /// Its NRI release and remarks.
    pub(super) notes: Option<String>,
    /// One share per outcome.
    pub(super) shares: Vec<Share>,
}

/// The plugins with one outcome under a target.
pub(super) struct Share {
    /// The class of the outcome.
    pub(super) class: &'static str,
    /// The number of plugins.
    pub(super) count: usize,
    /// The start in the bar.
    pub(super) start: usize,
    /// The width in the bar.
    pub(super) width: usize,
}

impl TargetRow {
    /// Creates the row of a target with the number of plugins of each outcome.
    pub(super) fn new(
        name: &str,
        notes: Option<String>,
        counts: [usize; Outcome::ALL.len()],
    ) -> Self {
        Self {
            name: name.to_owned(),
            notes,
            shares: shares(counts),
        }
    }
}

fn shares(counts: [usize; Outcome::ALL.len()]) -> Vec<Share> {
    let total = counts.iter().sum::<usize>().max(1);
    let mut before = 0;
    let share = |(outcome, count): (Outcome, usize)| {
        let start = before * BAR_WIDTH / total;
        before += count;
        Share {
            class: class(outcome),
            count,
            start,
            width: before * BAR_WIDTH / total - start,
        }
    };
    Outcome::ALL.into_iter().zip(counts).map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_fill_the_bar() {
        let shares = shares([1, 1, 1, 0, 0]);
        let spans: Vec<_> = shares
            .iter()
            .map(|share| (share.start, share.width))
            .collect();
        assert_eq!(
            spans,
            [(0, 333), (333, 333), (666, 334), (1000, 0), (1000, 0)]
        );
    }
}
