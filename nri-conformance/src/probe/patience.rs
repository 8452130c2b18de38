//! How long a probe waits.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// The part of the usual time that a plugin gets where it was silent before.
const AGAIN: u32 = 10;

/// The shortest time that an answer gets, unless the whole probe is out of time.
const SHORTEST: Duration = Duration::from_millis(100);

/// The time limits of a probe. A step that was not answered once gets less time from then on, so that a plugin which
/// hangs everywhere is probed in bounded time.
#[derive(Debug)]
pub(super) struct Patience {
    deadline: Option<Instant>,
    silent: HashSet<&'static str>,
}

impl Patience {
    /// Creates the limits of a probe that may take so long.
    pub(super) fn new(within: Duration) -> Self {
        Patience {
            deadline: Instant::now().checked_add(within),
            silent: HashSet::new(),
        }
    }

    /// Starts the time of the whole probe anew.
    pub(super) fn restart(&mut self, within: Duration) {
        self.deadline = Instant::now().checked_add(within);
    }

    /// Returns the time for a step that usually gets `usual`.
    pub(super) fn limit(&self, step: &'static str, usual: Duration) -> Duration {
        let wanted = if self.silent.contains(step) {
            (usual / AGAIN).max(SHORTEST.min(usual))
        } else {
            usual
        };
        wanted.min(self.left())
    }

    /// Notes that a step was not answered in time.
    pub(super) fn was_silent(&mut self, step: &'static str) {
        self.silent.insert(step);
    }

    /// Returns true if the time of the whole probe is over.
    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    fn left(&self) -> Duration {
        match self.deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_waited_for_in_full_once() {
        let usual = Duration::from_secs(2);
        let mut patience = Patience::new(Duration::from_secs(3600));
        assert_eq!(patience.limit("Configure", usual), usual);
        patience.was_silent("Configure");
        assert_eq!(patience.limit("Configure", usual), usual / AGAIN);
        assert_eq!(patience.limit("Synchronize", usual), usual);
        let short = Duration::from_millis(10);
        assert_eq!(patience.limit("Configure", short), short);
    }

    #[test]
    fn the_whole_probe_is_limited() {
        let patience = Patience::new(Duration::ZERO);
        assert!(patience.is_over());
        assert!(patience.limit("Configure", Duration::MAX).is_zero());
        assert!(!Patience::new(Duration::MAX).is_over());
    }
}
