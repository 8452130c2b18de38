//! Round trips.

use std::fmt;
use std::time::{Duration, Instant};

use nri::codec::Message as _;
use nri_adaptation::{Adaptation, OutcomeResult};

use crate::error::Failure;
use crate::event;
use crate::flags::Bench;
use crate::memory::Resident;
use crate::scenario::NodeState;
use crate::start::Progress;
use crate::subject;

/// The result of a measurement.
pub(crate) struct Figures {
    event: String,
    total: Duration,
    /// Ascending.
    round_trips: Vec<Duration>,
}

/// Sends the event repeatedly, one after the other.
pub(crate) async fn measure(adaptation: &Adaptation, bench: &Bench) -> Result<Figures, Failure> {
    let requests = subject::requests(bench);
    let event = event::rpc_name(bench.event);
    let mut round_trips = Vec::with_capacity(bench.count as usize);
    let start = Instant::now();
    for request in requests.iter().cycle().take(bench.count as usize) {
        let sent = Instant::now();
        let relayed = event::send(adaptation, request).await;
        round_trips.push(sent.elapsed());
        let relayed = relayed.map_err(|error| Failure::new(error.to_string()))?;
        let failed = relayed.outcomes.iter().find(|outcome| {
            !matches!(outcome.result, OutcomeResult::Answered | OutcomeResult::NotSubscribed)
        });
        if let Some(outcome) = failed {
            let error = outcome.error.as_deref().unwrap_or_default();
            let (plugin, result) = (&outcome.plugin, outcome.result);
            return Err(Failure::new(format!("{event} to plugin {plugin}: {result}: {error}")));
        }
    }
    let total = start.elapsed();
    round_trips.sort_unstable();
    Ok(Figures { event, total, round_trips })
}

/// The duration and memory of synchronizing one plugin.
pub(crate) struct Synchronization {
    pods: usize,
    containers: usize,
    bytes: usize,
    duration: Duration,
    memory: u64,
}

impl Synchronization {
    /// Returns the figures of a state with which a plugin was just synchronized.
    pub(crate) fn of(state: &NodeState, progress: &Progress) -> Self {
        let pods = state.pods.iter().map(|pod| pod.encoded_len());
        let containers = state.containers.iter().map(|it| it.encoded_len());
        let before = progress.resident_kib();
        Synchronization {
            pods: state.pods.len(),
            containers: state.containers.len(),
            duration: progress.elapsed(),
            memory: Resident::Peak.kib().saturating_sub(before),
            bytes: pods.chain(containers).sum(),
        }
    }
}

impl fmt::Display for Synchronization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.duration.as_secs_f64() * 1e3;
        write!(
            f,
            "Synchronize pods={} containers={} bytes={} ms={millis:.1} memory={}KiB",
            self.pods, self.containers, self.bytes, self.memory
        )
    }
}

impl Figures {
    /// Returns the round trip that this share of all does not exceed, in microseconds.
    fn quantile(&self, share: f64) -> f64 {
        let last = self.round_trips.len().saturating_sub(1);
        let at = (last as f64 * share).round() as usize;
        let round_trip = self.round_trips.get(at).copied().unwrap_or_default();
        round_trip.as_secs_f64() * 1e6
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.round_trips.len();
        let rate = count as f64 / self.total.as_secs_f64();
        let (p50, p99, max) = (self.quantile(0.5), self.quantile(0.99), self.quantile(1.0));
        write!(
            f,
            "{} n={count} events/s={rate:.0} p50={p50:.1}us p99={p99:.1}us max={max:.1}us",
            self.event
        )
    }
}
