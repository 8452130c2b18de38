//! The time limits of a probe.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// The divisor of the time limit of a step that was not answered before.
const REPEAT_DIVISOR: u32 = 10;

/// The minimum time limit of an answer, unless the whole probe is out of time.
const MIN_LIMIT: Duration = Duration::from_millis(100);

/// The time limits of a probe. The limit of a step is reduced after it was not answered once, so that a plugin which
/// always hangs is probed in bounded time.
#[derive(Debug)]
pub(super) struct Patience {
    deadline: Option<Instant>,
    silent: HashSet<&'static str>,
    survived: HashSet<&'static str>,
}

impl Patience {
    /// Creates the limits of a probe that takes at most `within`.
    pub(super) fn new(within: Duration) -> Self {
        Patience {
            deadline: Instant::now().checked_add(within),
            silent: HashSet::new(),
            survived: HashSet::new(),
        }
    }

    /// Restarts the time of the whole probe.
    pub(super) fn restart(&mut self, within: Duration) {
        self.deadline = Instant::now().checked_add(within);
    }

    /// Returns the time limit of a step whose usual limit is `usual`.
    pub(super) fn limit(&self, step: &'static str, usual: Duration) -> Duration {
        let wanted = if self.silent.contains(step) {
            (usual / REPEAT_DIVISOR).max(MIN_LIMIT.min(usual))
        } else {
            usual
        };
        wanted.min(self.left())
    }

    /// Records that a step was not answered in time.
    pub(super) fn was_silent(&mut self, step: &'static str) {
        self.silent.insert(step);
    }

    /// Records that the plugin kept running after its error to an RPC.
    pub(super) fn survived(&mut self, rpc: &'static str) {
        self.survived.insert(rpc);
    }

    /// Returns true if the plugin kept running after an error to this RPC before. Its end is not waited for again.
    pub(super) fn was_survived(&self, rpc: &'static str) -> bool {
        self.survived.contains(rpc)
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
    fn the_full_time_limit_applies_once() {
        let usual = Duration::from_secs(2);
        let mut patience = Patience::new(Duration::from_secs(3600));
        assert_eq!(patience.limit("Configure", usual), usual);
        patience.was_silent("Configure");
        assert_eq!(patience.limit("Configure", usual), usual / REPEAT_DIVISOR);
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
