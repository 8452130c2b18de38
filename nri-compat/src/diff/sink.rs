//! Collects the violations of rules.

use std::collections::HashSet;

use nri_schema::model::{About, Enum, EnumValue, Event, Field, Rpc, Service};
use nri_schema::schema::Id;

use super::pairs::Pairs;
use crate::report::finding::Location;

/// A rule that runs: the elements of both schemas, and where its findings go.
pub(super) struct RuleRun<'r> {
    pub(super) pairs: &'r Pairs<'r>,
    pub(super) sink: &'r mut Sink,
}

impl RuleRun<'_> {
    /// Reports an element of the later side, where it is declared.
    pub(super) fn report(&mut self, new: &Id, message: String) {
        self.report_part(new, &new.full, message);
    }

    /// Reports `element`, a part of `new`, where that is declared.
    pub(super) fn report_part(&mut self, new: &Id, element: &str, message: String) {
        let place = self.pairs.to.declared(new);
        self.add(place, new, element, message);
    }

    /// Reports an element of the later side, at a place in it, or else where it is declared.
    pub(super) fn report_at(&mut self, place: Option<Location>, new: &Id, message: String) {
        let place = place.or_else(|| self.pairs.to.declared(new));
        self.report_only_at(place, new, message);
    }

    /// Reports an element of the later side, at a place in it, or else at the start of its file.
    pub(super) fn report_only_at(&mut self, place: Option<Location>, new: &Id, message: String) {
        self.add(place, new, &new.full, message);
    }

    fn add(&mut self, place: Option<Location>, new: &Id, element: &str, message: String) {
        let place = place.unwrap_or_else(|| self.pairs.to.file_of(new).start());
        self.sink.add(Some(place), element, message);
    }
}

/// An element of the model of a protocol.
pub(super) trait Element {
    fn full_name(&self) -> &str;
    fn about(&self) -> &About;
}

macro_rules! elements {
    ($($element:ident)*) => {
        $(impl Element for $element {
            fn full_name(&self) -> &str {
                &self.full_name
            }

            fn about(&self) -> &About {
                &self.about
            }
        })*
    };
}

elements!(Service Rpc Field Enum EnumValue Event);

/// A violation of a rule, as the rule sees it. They are sorted by place, rule, element and message.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Violation {
    pub(super) location: Option<Location>,
    pub(super) rule: &'static str,
    /// The full name of the element.
    pub(super) element: String,
    pub(super) message: String,
    /// True if nothing breaks, whatever the level of the rule.
    pub(super) is_harmless: bool,
}

/// A collector of violations.
#[derive(Default)]
pub(super) struct Sink {
    /// The rule that [`add`](Self::add) reports.
    pub(super) rule: &'static str,
    pub(super) violations: Vec<Violation>,
}

impl Sink {
    /// Reports the current rule; no `location` means that the later schema has no file to point at.
    pub(super) fn add(&mut self, location: Option<Location>, element: &str, message: String) {
        self.report(self.rule, location, element, message);
    }

    /// Reports a rule about a declaration of the later side, at its place.
    pub(super) fn report_declared(
        &mut self,
        rule: &'static str,
        new: &impl Element,
        message: String,
    ) {
        let place = new.about().location.clone();
        self.report(rule, place, new.full_name(), message);
    }

    /// Reports a rule.
    pub(super) fn report(
        &mut self,
        rule: &'static str,
        location: Option<Location>,
        element: &str,
        message: String,
    ) {
        let element = element.to_owned();
        let violation = Violation { location, rule, element, message, is_harmless: false };
        self.violations.push(violation);
    }

    /// Returns the sorted violations. Two with the same text at the same place are merged, as in
    /// buf: a message may be named only by the last part of its name.
    pub(super) fn merged(self) -> Vec<Violation> {
        let mut found = self.violations;
        found.sort();
        let mut known = HashSet::new();
        found.retain(|violation| {
            let Violation { location, rule, message, .. } = violation;
            known.insert((location.clone(), *rule, message.clone()))
        });
        found
    }
}
