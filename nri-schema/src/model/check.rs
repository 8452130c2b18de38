//! Checks whether a protocol is a consistent NRI protocol, from which Rust source can be generated.

use super::nri::{EVENT, LAST};
use super::{Carrier, Enum, Event, Location, NriView, Protocol};
use crate::error::{Error, ErrorKind, Problem};

impl Protocol {
    /// Checks that this is an NRI protocol whose events form a mask and all have a carrier.
    ///
    /// # Errors
    ///
    /// Returns all problems, each with the location of the declaration.
    pub fn check(&self) -> Result<(), Error> {
        let mut problems = Vec::new();
        match (&self.nri, self.enumeration(EVENT)) {
            (Some(nri), Some(events)) => {
                sentinel(nri, events, &mut problems);
                numbers(nri, &mut problems);
                carriers(nri, &mut problems);
            }
            _ => problems
                .push(Problem::new(ErrorKind::Protocol, self.not_nri()).with_help(Self::NRI_HELP)),
        }
        self.streams(&mut problems);
        Error::unless_empty(problems)
    }

    /// The help for a schema that is not an NRI protocol.
    pub const NRI_HELP: &str =
        "an NRI protocol has a service `Plugin` with `Configure`, and an enum `Event`";

    /// Returns a sentence that says so.
    pub fn not_nri(&self) -> String {
        format!("package {} is not an NRI protocol", self.package)
    }

    /// Rejects streams: ttrpc has them, but NRI does not, and nothing here serves them.
    fn streams(&self, problems: &mut Vec<Problem>) {
        let rpcs = self.services.iter().flat_map(|service| &service.rpcs);
        for rpc in rpcs.filter(|rpc| rpc.client_streaming || rpc.server_streaming) {
            let fact = format!("rpc {} is streaming", rpc.full_name);
            problems.push(problem(fact, rpc.about.location.as_ref()));
        }
    }
}

fn sentinel(nri: &NriView, events: &Enum, problems: &mut Vec<Problem>) {
    let place = events.about.location.as_ref();
    let highest = nri.events.last().map_or(0, |event| event.number);
    match nri.last {
        None => problems.push(problem(
            format!("enum {} has no value {LAST}", events.full_name),
            place,
        )),
        Some(last) if last != highest.saturating_add(1) => problems.push(
            problem(
                format!("{LAST} is {last}, the last event is {highest}"),
                place,
            )
            .with_help(format!("{LAST} is one more than the last event: runtimes derive the mask of known events from it")),
        ),
        Some(_) => {}
    }
}

fn numbers(nri: &NriView, problems: &mut Vec<Problem>) {
    for (event, expected) in nri.events.iter().zip(1..) {
        if event.number != expected {
            let fact =
                format!("event {} has number {}, expected {expected}", event.name, event.number);
            problems.push(at(event, fact).with_help("events are numbered from 1 without gaps"));
        } else if event.number > 31 {
            let fact = format!("event {} has number {}, beyond the mask", event.name, event.number);
            problems.push(at(event, fact).with_help("the mask is an int32: 31 events at most"));
        }
    }
}

fn carriers(nri: &NriView, problems: &mut Vec<Problem>) {
    for event in &nri.events {
        if event.carrier == Carrier::Nothing {
            let fact = format!(
                "nothing carries event {}: service Plugin has neither {} nor StateChange",
                event.name, event.rpc_name
            );
            problems.push(at(event, fact));
        }
    }
}

fn at(event: &Event, fact: String) -> Problem {
    problem(fact, event.about.location.as_ref())
}

fn problem(fact: String, place: Option<&Location>) -> Problem {
    let problem = Problem::new(ErrorKind::Protocol, fact);
    match place {
        Some(place) => problem.in_file(&place.file).at_position(place.line, place.column),
        None => problem,
    }
}
