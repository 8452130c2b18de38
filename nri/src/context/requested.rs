//! The description of updates that nobody waits for, for the log.

use std::fmt::{self, Display};

use crate::adjust::Updates;

/// The maximum number of containers that a line of the log names.
const MAX_NAMED: usize = 10;

/// The containers of updates and evictions, with the event whose handler asked for them.
pub(super) struct Described {
    event: Option<&'static str>,
    updated: Ids,
    evicted: Ids,
}

/// The ids of containers: the first ones, and the number of all.
pub(super) struct Ids {
    named: Vec<String>,
    count: usize,
}

impl Described {
    pub(super) fn new(updates: &Updates, event: Option<&'static str>) -> Self {
        let updated = updates.updates().iter().map(|it| it.container_id.as_str());
        let evicted = updates.evictions().iter().map(|it| it.container_id.as_str());
        Described { event, updated: Ids::new(updated), evicted: Ids::new(evicted) }
    }

    /// Returns the number of containers.
    pub(super) fn count(&self) -> usize {
        self.updated.count + self.evicted.count
    }
}

impl Ids {
    pub(super) fn new<'a>(ids: impl Iterator<Item = &'a str>) -> Self {
        let mut ids = ids;
        let named: Vec<_> = ids.by_ref().take(MAX_NAMED).map(str::to_owned).collect();
        let count = named.len() + ids.count();
        Ids { named, count }
    }
}

/// Writes `update of c1, c2 and eviction of c3, requested by the handler of CreateContainer`.
impl Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("update", &self.updated), ("eviction", &self.evicted)]
            .into_iter()
            .filter(|(_, ids)| ids.count > 0);
        for (place, (what, ids)) in parts.enumerate() {
            let separator = if place == 0 { "" } else { " and " };
            write!(f, "{separator}{what} of {ids}")?;
        }
        match self.event {
            Some(event) => write!(f, ", requested by the handler of {event}"),
            None => Ok(()),
        }
    }
}

/// Writes `c1, c2 and 3 more`.
impl Display for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named.join(", "))?;
        match self.count - self.named.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{ContainerEviction, ContainerUpdate};

    fn eviction(id: &str) -> ContainerEviction {
        ContainerEviction { container_id: id.to_owned(), ..ContainerEviction::default() }
    }

    #[test]
    fn the_event_and_the_containers_are_named() {
        let update = vec![ContainerUpdate::new("c1"), ContainerUpdate::new("c2")];
        let updates = Updates { update, evict: vec![eviction("c3")] };
        let described = Described::new(&updates, Some("CreateContainer"));
        assert_eq!(
            described.to_string(),
            "update of c1, c2 and eviction of c3, requested by the handler of CreateContainer"
        );
        assert_eq!(described.count(), 3);
    }

    #[test]
    fn a_line_names_no_more_than_ten_containers() {
        let update = (0..100_000).map(|id| ContainerUpdate::new(id.to_string())).collect();
        let described = Described::new(&Updates { update, evict: Vec::new() }, None);
        assert_eq!(described.to_string(), "update of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 99990 more");
        assert_eq!(described.count(), 100_000);
    }
}
