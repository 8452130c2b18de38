//! The lives of a plugin on each host: registered, connected, closed, registered again.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp, Zoned};

use super::fact::Statement;
use super::subject::{Stage, Subject};
use crate::place::Place;
use crate::sighting::{Incident, Occurrences};
use crate::stamp::{self, Span, Stamp};

/// The id of the incident of a plugin that registers again and again.
const FLAPPING: &str = "INCIDENT_FLAPPING";

/// The number of registrations on one host from which on a plugin flaps.
const MIN_REGISTRATIONS: u64 = 3;

/// The number of ends between these registrations.
const MIN_ENDS: u64 = 2;

/// The maximum number of hosts whose registrations are counted, and of those whose last
/// registration is known.
const MAX_HOSTS: usize = 4096;

/// The lives of one plugin, by host.
#[derive(Clone, Debug, Default)]
pub(super) struct Lives(BTreeMap<Option<String>, Life>);

/// The number of registrations and ends on one host.
#[derive(Clone, Debug, Default)]
struct Life {
    registrations: u64,
    ends: u64,
    /// True between a registration and the first message about its end: a runtime logs several
    /// about one.
    is_open: bool,
    /// The first and the last registration.
    span: Span,
}

impl Lives {
    /// Counts a statement about the life of the plugin.
    pub(super) fn add(&mut self, stage: Stage, host: Option<&str>, time: Option<&Stamp>) {
        let is_counted = matches!(stage, Stage::Registered | Stage::Ended | Stage::Refused);
        let host = host.map(str::to_owned);
        if !is_counted || self.0.len() >= MAX_HOSTS && !self.0.contains_key(&host) {
            return;
        }
        let life = self.0.entry(host).or_default();
        if stage == Stage::Registered {
            life.registrations += 1;
            life.is_open = true;
            time.into_iter().for_each(|time| life.span.add(time.clone()));
        } else if std::mem::take(&mut life.is_open) {
            life.ends += 1;
        }
    }

    /// Adds the lives of the same plugin under another name.
    pub(super) fn merge(&mut self, other: Self) {
        for (host, life) in other.0 {
            let own = self.0.entry(host).or_default();
            own.registrations += life.registrations;
            own.ends += life.ends;
            let times = [life.span.first, life.span.last].into_iter().flatten();
            times.for_each(|time| own.span.add(time));
        }
    }

    /// Returns the incident of a plugin that registers again and again, on the host where it does
    /// so most.
    pub(super) fn flapping(&self, place: &Place) -> Option<Incident> {
        let lives = self.0.iter().filter(|(_, life)| life.is_flapping());
        let (host, life) = lives.max_by_key(|(_, life)| life.registrations)?;
        let on = host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
        let every = life.period().map(|period| format!(", every {period}")).unwrap_or_default();
        let (registrations, ends) = (life.registrations, life.ends);
        Some(Incident {
            rule: FLAPPING,
            detail: format!(
                "it registered {registrations} times{on}{every}, and ended {ends} times"
            ),
            events: Vec::new(),
            occurrences: Occurrences {
                count: registrations,
                first: life.span.first.as_ref().map(|stamp| stamp.shown.clone()),
                last: life.span.last.as_ref().map(|stamp| stamp.shown.clone()),
            },
            place: place.clone(),
            setting: None,
            remedy: None,
        })
    }
}

impl Life {
    fn is_flapping(&self) -> bool {
        self.registrations >= MIN_REGISTRATIONS && self.ends >= MIN_ENDS
    }

    /// Returns the average time between two registrations, if the log has the moments: `5m 20s`.
    fn period(&self) -> Option<String> {
        let now = Zoned::now();
        let moment = |stamp: &Option<Stamp>| -> Option<Timestamp> {
            stamp::moment(&stamp.as_ref()?.shown, &now)
        };
        let whole = moment(&self.span.last)?.duration_since(moment(&self.span.first)?);
        let gaps = i64::try_from(self.registrations - 1).ok()?;
        let seconds = whole.as_secs() / gaps;
        (seconds > 0).then(|| format!("{:#}", SignedDuration::from_secs(seconds)))
    }
}

/// The plugin that registered or was announced last on each host: a message that names no plugin is
/// about it, because a runtime registers and synchronizes external plugins one after the other.
#[derive(Debug, Default)]
pub(super) struct Registrations(BTreeMap<Option<String>, String>);

impl Registrations {
    /// Takes in a statement, and gives it the name of the plugin if its message has none.
    ///
    /// Returns false if the words of the message are not NRI's own, and no plugin was named before
    /// it: then it is about something else.
    pub(super) fn follow(&mut self, host: Option<&String>, said: &mut Statement) -> bool {
        let host = host.cloned();
        if said.needs_plugin && !self.0.contains_key(&host) {
            return false;
        }
        match (said.stage, &said.topic.1) {
            (Stage::Registered | Stage::Announced, Some(name)) => {
                if self.0.len() < MAX_HOSTS || self.0.contains_key(&host) {
                    self.0.insert(host, name.clone());
                }
            }
            (Stage::Connected, Some(name)) => {
                if self.0.get(&host) == Some(name) {
                    self.0.remove(&host);
                }
            }
            (Stage::Refused, None)
                if said.topic.0 == Subject::Plugin && is_after_registration(said) =>
            {
                said.topic.1 = self.0.remove(&host);
            }
            (
                Stage::Announced
                | Stage::Registered
                | Stage::Connected
                | Stage::Ended
                | Stage::Refused
                | Stage::Other,
                Some(_) | None,
            ) => {}
        }
        true
    }
}

/// Returns true for an incident that comes after a plugin has registered, not before.
fn is_after_registration(said: &Statement) -> bool {
    let id = said.incident.map_or("", |incident| incident.rule.id);
    ["EVENTS", "CONFIGURE", "SYNCHRONIZE"]
        .iter()
        .any(|step| id.starts_with(&format!("INCIDENT_{step}_")))
}
