//! Remembers what arrived at each index, until it has arrived at the next one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::arrival::Arrival;
use super::report::Report;

/// The maximum number of events that are remembered: an event that no later index gets is dropped
/// at some time.
const LIMIT: usize = 1024;

/// The plugins at all indices share it.
pub(crate) struct History {
    places: usize,
    pub(crate) report: Report,
    /// The last arrival at each place, per event.
    arrived: Mutex<HashMap<(usize, String), Arrival>>,
}

impl History {
    pub(crate) fn new(places: usize, report: Report) -> Self {
        History { places, report, arrived: Mutex::default() }
    }

    /// Reports what changed since the event arrived at the place before. Nothing is reported if
    /// that place did not get the event, because its plugin was not registered yet.
    pub(crate) fn arrive(&self, place: usize, (index, event): (u8, &str), id: &str, now: Arrival) {
        let key = format!("{event} {id}");
        let before = place.checked_sub(1).map(|previous| {
            let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
            arrived.remove(&(previous, key.clone()))
        });
        match before {
            None => self.report.first(index, event, &now),
            Some(None) => {}
            Some(Some(before)) => self.report.changes(index, event, &before, &now),
        }
        if place + 1 < self.places {
            self.remember((place, key), now);
        }
    }

    fn remember(&self, key: (usize, String), now: Arrival) {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        if arrived.len() >= LIMIT {
            arrived.clear();
        }
        arrived.insert(key, now);
    }
}
