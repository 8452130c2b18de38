//! The levels that `RUST_LOG` sets: one for each target, and one for all others.

use tracing::{Level, Metadata};

/// The rank of `off`.
const OFF: u8 = 0;

/// The levels of targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directives {
    /// The rank of targets that are not listed.
    others: u8,
    /// Targets with their ranks. The longest that matches applies.
    targets: Vec<(String, u8)>,
}

impl Directives {
    /// Logs nothing.
    pub(super) const OFF: Self = Directives {
        others: OFF,
        targets: Vec::new(),
    };

    /// Logs this and more severe levels of every target.
    pub(super) fn level(level: Level) -> Self {
        Directives {
            others: rank(level),
            targets: Vec::new(),
        }
    }

    /// Parses a list. Returns the parts that cannot be read as well.
    pub(super) fn parse(text: &str) -> (Self, Vec<&str>) {
        let mut unread = Vec::new();
        let (mut others, mut targets) = (None, Vec::new());
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (target, level) = match part.split_once('=') {
                Some((target, level)) => (Some(target), level),
                None => (None, part),
            };
            match (target, rank_of(level)) {
                (None, Some(rank)) => others = Some(rank),
                (Some(target), Some(rank)) => targets.push((target.trim().to_owned(), rank)),
                (Some(_) | None, None) => unread.push(part),
            }
        }
        // As with other readers of this variable, a list of targets alone switches off all others.
        let default = if targets.is_empty() {
            rank(Level::INFO)
        } else {
            OFF
        };
        let others = others.unwrap_or(default);
        (Directives { others, targets }, unread)
    }

    /// Returns the rank of the least severe level that any target logs.
    pub(super) fn max(&self) -> u8 {
        let targets = self.targets.iter().map(|(_, rank)| *rank);
        targets.fold(self.others, u8::max)
    }

    /// Returns true if events like this one are logged.
    pub(super) fn allow(&self, metadata: &Metadata<'_>) -> bool {
        rank(*metadata.level()) <= self.rank_for(metadata.target())
    }

    fn rank_for(&self, target: &str) -> u8 {
        let matching = self
            .targets
            .iter()
            .filter(|(prefix, _)| is_within(target, prefix));
        let longest = matching.max_by_key(|(prefix, _)| prefix.len());
        longest.map_or(self.others, |(_, rank)| *rank)
    }
}

/// Returns true if a target is this module or inside of it.
fn is_within(target: &str, module: &str) -> bool {
    target
        .strip_prefix(module)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn rank_of(level: &str) -> Option<u8> {
    let level = level.trim();
    if level.eq_ignore_ascii_case("off") {
        return Some(OFF);
    }
    level.parse().ok().map(rank)
}

/// Numbers levels from 1, the most severe one.
pub(super) fn rank(level: Level) -> u8 {
    match level {
        Level::ERROR => 1,
        Level::WARN => 2,
        Level::INFO => 3,
        Level::DEBUG => 4,
        Level::TRACE => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_target_applies() {
        let (directives, unread) = Directives::parse("warn, nri=debug,nri::wire=off,plugin=trace");
        assert_eq!(unread, Vec::<&str>::new());
        for (target, rank) in [
            ("nri", 4),
            ("nri::stub::run", 4),
            ("nri::wire::mux", 0),
            ("nri_other", 2),
            ("plugin", 5),
            ("other", 2),
        ] {
            assert_eq!(directives.rank_for(target), rank, "{target}");
        }
        assert_eq!(directives.max(), 5);
    }

    #[test]
    fn without_a_level_for_all_targets_there_is_a_default() {
        for (text, others) in [
            ("", 3),
            ("DEBUG", 4),
            ("off", 0),
            ("nri=debug", 0),
            ("5", 5),
        ] {
            assert_eq!(Directives::parse(text).0.others, others, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_returned() {
        let (directives, unread) = Directives::parse("verbose,nri=loud,a=debug");
        assert_eq!(unread, ["verbose", "nri=loud"]);
        assert_eq!(directives.rank_for("a"), 4);
    }
}
